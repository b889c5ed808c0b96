import type { Site } from '@plumbline/model';
import { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand } from '../context.js';
import { collect, connected, pair } from '../input/options.js';
import { labelText, sharedLinks, sharedLinkText } from '../input/shared-link.js';
import { facts } from '../output/table.js';
import { Connected } from './flags.js';
import { addList, addRemove, addShow, type Resource } from './resource.js';

const AddFlags = Connected.extend({
  timeZone: z.string(),
  label: z.array(z.string()).optional(),
  sharedLink: z.array(z.string()).optional(),
});

export const siteCommand: BuildCommand = (context) => {
  const site = new Command('site').description('The places where probes are.');
  connected(site.command('add'))
    .argument('<name>')
    .summary('add a site, or change it')
    .description('Adds a site; the same name again changes it.')
    .requiredOption('--time-zone <zone>', 'IANA time zone, such as Europe/Berlin')
    .option('--label <key=value>', 'a label (may be repeated)', collect)
    .option('--shared-link <name[=capacity]>', 'a link that its tests share (may be repeated)', collect)
    .action(async (name: string, raw: unknown) => {
      const flags = AddFlags.parse(raw);
      const body = {
        timeZone: flags.timeZone,
        ...(flags.label ? { labels: Object.fromEntries(flags.label.map(pair)) } : {}),
        ...(flags.sharedLink ? { sharedLinks: sharedLinks(flags.sharedLink) } : {}),
      };
      const api = await connect(flags, context);
      await api.ask(`Adding site ${name}`, api.client.PUT('/v1/sites/{name}', { params: { path: { name } }, body }));
      context.out.write(`The site ${name} is stored.\n`);
    });
  addList(site, SITES, context);
  addShow(site, SITES, context);
  addRemove(
    site,
    'site',
    context,
    (api, name) =>
      api.ask(
        `Removing site ${name}`,
        api.client.DELETE('/v1/sites/{name}', { params: { path: { name } } }),
        'plumb site list',
      ),
    'Removes a site that has no probes.',
  );
  return site;
};

const SITES: Resource<Site> = {
  noun: 'site',
  plural: 'sites',
  first: 'plumb site add NAME --time-zone Europe/Berlin',
  columns: [{ title: 'name' }, { title: 'time zone' }, { title: 'labels', flexible: true }],
  row: (s) => [s.name, s.timeZone, labelText(s.labels)],
  list: (api, query) => api.ask('Listing sites', api.client.GET('/v1/sites', { params: { query } })),
  get: (api, name) =>
    api.ask(
      `Showing site ${name}`,
      api.client.GET('/v1/sites/{name}', { params: { path: { name } } }),
      'plumb site list',
    ),
  print: (s, terminal) =>
    terminal.write(
      facts([
        ['name', s.name],
        ['time zone', s.timeZone],
        ['labels', labelText(s.labels)],
        ['shared links', (s.sharedLinks ?? []).map(sharedLinkText).join(', ')],
        ['changed', s.updatedAt],
      ]),
    ),
};
