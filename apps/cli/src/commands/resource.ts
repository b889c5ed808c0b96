import type { Command } from 'commander';
import { z } from 'zod';
import { type Api, connect } from '../connection/api.js';
import type { CommandContext } from '../context.js';
import { connected, printsData, wholeNumber } from '../input/options.js';
import { printJson } from '../output/print.js';
import { type Cell, type Column, table } from '../output/table.js';
import type { Terminal } from '../output/terminal.js';
import { Connected, PrintsData } from './flags.js';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string | undefined;
}

/** What `list` and `show` have to know of one kind of resource: a line of a list can be less than the whole. */
export interface Resource<Whole, Line = Whole> {
  readonly noun: string;
  readonly plural: string;
  /** What to type when there is none yet. */
  readonly first: string;
  readonly columns: readonly Column[];
  row(item: Line): readonly Cell[];
  list(api: Api, query: { pageSize: number; pageToken: string | undefined }): Promise<Page<Line>>;
  get(api: Api, name: string): Promise<Whole>;
  print(item: Whole, terminal: Terminal, all: boolean): void;
  /** What `show --all` shows besides. Absent: there is nothing more. */
  readonly more?: string;
}

const ListFlags = PrintsData.extend({ limit: z.number() });
const LARGEST_PAGE = 200;

export function addList<W, L>(parent: Command, resource: Resource<W, L>, context: CommandContext): void {
  printsData(connected(parent.command('list')))
    .summary(`list ${resource.plural}`)
    .description(`Lists ${resource.plural}.`)
    .option('--limit <count>', 'at most so many', wholeNumber(1, 10_000), 200)
    .action(async (raw: unknown) => {
      const flags = ListFlags.parse(raw);
      const api = await connect(flags, context);
      const { items, more } = await firstItems(api, resource, flags.limit);
      if (flags.json) return printJson(context.out, { items });
      if (items.length === 0) return context.out.write(`There are no ${resource.plural}. Next: ${resource.first}\n`);
      context.out.write(
        table(
          context.out,
          resource.columns,
          items.map((i) => resource.row(i)),
        ),
      );
      if (more) context.err.write(`There are more than ${flags.limit}; --limit shows more.\n`);
    });
}

/** Ends: each page is asked for with the token of the one before, and no more than `limit` items are taken. */
async function firstItems<W, L>(
  api: Api,
  resource: Resource<W, L>,
  limit: number,
): Promise<{ items: readonly L[]; more: boolean }> {
  const items: L[] = [];
  let pageToken: string | undefined;
  do {
    const page = await resource.list(api, { pageSize: Math.min(limit - items.length, LARGEST_PAGE), pageToken });
    items.push(...page.items);
    pageToken = page.items.length === 0 ? undefined : page.nextPageToken;
  } while (pageToken !== undefined && items.length < limit);
  return { items, more: pageToken !== undefined };
}

const ShowFlags = PrintsData.extend({ all: z.boolean().default(false) });

export function addShow<W, L>(
  parent: Command,
  resource: Resource<W, L>,
  context: CommandContext,
  argument = 'name',
): void {
  const show = printsData(connected(parent.command('show')));
  if (resource.more !== undefined) show.option('--all', resource.more);
  show
    .argument(`<${argument}>`)
    .summary(`show a ${resource.noun}`)
    .description(`Shows a ${resource.noun}.`)
    .action(async (name: string, raw: unknown) => {
      const { all, ...flags } = ShowFlags.parse(raw);
      const found = await resource.get(await connect(flags, context), name);
      if (flags.json) printJson(context.out, found);
      else resource.print(found, context.out, all);
    });
}

export function addRemove(
  parent: Command,
  noun: string,
  context: CommandContext,
  remove: (api: Api, name: string) => Promise<unknown>,
  description = `Removes a ${noun}.`,
): void {
  connected(parent.command('remove'))
    .argument('<name>')
    .summary(`remove a ${noun}`)
    .description(description)
    .action(async (name: string, raw: unknown) => {
      await remove(await connect(Connected.parse(raw), context), name);
      context.out.write(`The ${noun} ${name} is removed.\n`);
    });
}
