import { formatMs, formatRate, formatShare } from '@plumbline/analysis';
import { type Path, PathInput } from '@plumbline/model';
import { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand, Context } from '../context.js';
import { usage } from '../failure.js';
import { endpointRef } from '../input/endpoint.js';
import { jsonFile } from '../input/json-file.js';
import { collect, connected, number, rateBps, timeMs, wholeNumber } from '../input/options.js';
import { sharedLinks, sharedLinkText } from '../input/shared-link.js';
import { facts } from '../output/table.js';
import { Connected } from './flags.js';
import { addList, addRemove, addShow, type Resource } from './resource.js';

const AddFlags = Connected.extend({
  from: z.string().optional(),
  to: z.string().optional(),
  rate: z.number().optional(),
  rateLayer: z.enum(['ethernet', 'ip', 'payload']).optional(),
  rtt: z.number().optional(),
  loss: z.number().optional(),
  mtu: z.number().optional(),
  sharedLink: z.array(z.string()).optional(),
  file: z.string().optional(),
});
type AddFlags = z.output<typeof AddFlags>;

export const pathCommand: BuildCommand = (context) => {
  const path = new Command('path').description('Ordered pairs of endpoints, with what was promised for them.');
  connected(path.command('add'))
    .argument('<name>')
    .summary('add a path, or change it')
    .description('Adds a path from one endpoint to another; the same name again changes it.')
    .option('--from <probe/endpoint>', 'where the data comes from')
    .option('--to <probe/endpoint>', 'where the data goes')
    .option('--rate <rate>', 'committed rate, such as 200M (bits a second)', rateBps)
    .option('--rate-layer <layer>', 'what the committed rate counts: ethernet, ip or payload (default ip)')
    .option('--rtt <time>', 'expected round-trip time, such as 18ms (a bare number is ms)', timeMs)
    .option('--loss <ratio>', 'expected loss, 0.001 for 0.1 %', number)
    .option('--mtu <bytes>', 'MTU of the path', wholeNumber(68, 65_535))
    .option('--shared-link <name[=capacity]>', 'a link that other paths use too (may be repeated)', collect)
    .option('-f, --file <file>', 'all of it as JSON, - for standard input (for contracts)')
    .addHelpText(
      'after',
      '\nExample:\n  $ plumb path add berlin-paris --from berlin/lan --to paris/lan --rate 1G --rtt 18ms\n',
    )
    .action(async (name: string, raw: unknown) => {
      const flags = AddFlags.parse(raw);
      const body = await pathInput(flags, context);
      const api = await connect(flags, context);
      await api.ask(`Adding path ${name}`, api.client.PUT('/v1/paths/{name}', { params: { path: { name } }, body }));
      context.out.write(`The path ${name} is stored.\n`);
    });
  addList(path, PATHS, context);
  addShow(path, PATHS, context);
  addRemove(path, 'path', context, (api, name) =>
    api.ask(
      `Removing path ${name}`,
      api.client.DELETE('/v1/paths/{name}', { params: { path: { name } } }),
      'plumb path list',
    ),
  );
  return path;
};

async function pathInput(flags: AddFlags, context: Context): Promise<z.input<typeof PathInput>> {
  if (flags.file !== undefined) {
    const parsed = PathInput.safeParse(await jsonFile(flags.file, context));
    if (parsed.success) return parsed.data;
    throw usage(`${flags.file} is no path: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  }
  if (flags.from === undefined || flags.to === undefined)
    throw usage('A path needs both ends.', 'plumb path add NAME --from PROBE/ENDPOINT --to PROBE/ENDPOINT');
  return {
    source: endpointRef(flags.from, '--from'),
    destination: endpointRef(flags.to, '--to'),
    committedRateBps: flags.rate,
    rateLayer: flags.rateLayer,
    expectedRttMs: flags.rtt,
    expectedLossRatio: flags.loss,
    mtu: flags.mtu,
    sharedLinks: flags.sharedLink && sharedLinks(flags.sharedLink),
  };
}

const ends = (p: Path): string =>
  `${p.source.probe}/${p.source.endpoint} -> ${p.destination.probe}/${p.destination.endpoint}`;

const PATHS: Resource<Path> = {
  noun: 'path',
  plural: 'paths',
  first: 'plumb path add NAME --from PROBE/ENDPOINT --to PROBE/ENDPOINT',
  columns: [
    { title: 'name' },
    { title: 'from -> to', flexible: true },
    { title: 'committed', align: 'right' },
    { title: 'rtt', align: 'right' },
  ],
  row: (p) => [
    p.name,
    ends(p),
    p.committedRateBps === undefined ? '-' : formatRate(p.committedRateBps),
    p.expectedRttMs === undefined ? '-' : formatMs(p.expectedRttMs),
  ],
  list: (api, query) => api.ask('Listing paths', api.client.GET('/v1/paths', { params: { query } })),
  get: (api, name) =>
    api.ask(
      `Showing path ${name}`,
      api.client.GET('/v1/paths/{name}', { params: { path: { name } } }),
      'plumb path list',
    ),
  print: (p, terminal) =>
    terminal.write(
      facts([
        ['name', p.name],
        ['ends', ends(p)],
        [
          'committed',
          p.committedRateBps === undefined ? undefined : `${formatRate(p.committedRateBps)} (${p.rateLayer})`,
        ],
        ['expected rtt', p.expectedRttMs === undefined ? undefined : formatMs(p.expectedRttMs)],
        ['expected loss', p.expectedLossRatio === undefined ? undefined : formatShare(p.expectedLossRatio)],
        ['mtu', p.mtu === undefined ? undefined : `${p.mtu} B`],
        ['shared links', (p.sharedLinks ?? []).map(sharedLinkText).join(', ')],
        ['contract', p.contract && JSON.stringify(p.contract)],
        ['changed', p.updatedAt],
      ]),
    ),
};
