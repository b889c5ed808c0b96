import { open, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { formatMs, formatTime } from '@plumbline/analysis';
import type { Probe } from '@plumbline/model';
import type { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { CommandContext } from '../context.js';
import { sentenceOf, usage } from '../failure.js';
import { endpoint, endpointText } from '../input/endpoint.js';
import { collect, connected, printsData } from '../input/options.js';
import { printJson } from '../output/print.js';
import { facts } from '../output/table.js';
import type { Style } from '../output/terminal.js';
import { Connected, PrintsData } from './flags.js';
import { addList, addRemove, addShow, type Resource } from './resource.js';

/** What the control plane knows of its probes: `plumb probe add|list|show|remove|enrolment`. */
export function addRegistry(probe: Command, context: CommandContext): void {
  addRegistration(probe, context);
  addList(probe, PROBES, context);
  addShow(probe, PROBES, context);
  addRemove(
    probe,
    'probe',
    context,
    (api, name) =>
      api.ask(
        `Removing probe ${name}`,
        api.client.DELETE('/v1/probes/{name}', { params: { path: { name } } }),
        'plumb probe list',
      ),
    'Removes a probe that no path uses, and revokes its certificate.',
  );
  addEnrolment(probe, context);
}

const AddFlags = Connected.extend({ site: z.string(), address: z.string(), endpoint: z.array(z.string()) });

function addRegistration(probe: Command, context: CommandContext): void {
  connected(probe.command('add'))
    .argument('<name>')
    .summary('register a probe that is running')
    .description('Registers a probe that is running; name, site and endpoints must be those it was started with.')
    .requiredOption('--site <site>', 'its site')
    .requiredOption('--address <address>', 'host:port or unix:FILE, as it listens')
    .requiredOption('--endpoint <name=address>', 'NAME=ADDRESS or NAME=ADDRESS@INTERFACE (may be repeated)', collect)
    .action(async (name: string, raw: unknown) => {
      const flags = AddFlags.parse(raw);
      const body = { name, site: flags.site, address: flags.address, endpoints: flags.endpoint.map(endpoint) };
      const api = await connect(flags, context);
      const added = await api.ask(`Adding probe ${name}`, api.client.POST('/v1/probes', { body }));
      context.out.write(`The probe ${name} is registered; it is ${added.state}.\n`);
    });
}

const STATE_STYLE: Readonly<Record<Probe['state'], Style | undefined>> = {
  up: 'green',
  down: 'red',
  incompatible: 'red',
  unknown: 'yellow',
};

const PROBES: Resource<Probe> = {
  noun: 'probe',
  plural: 'probes',
  first: 'plumb probe add NAME --site SITE --address ADDRESS --endpoint NAME=ADDRESS',
  columns: [
    { title: 'name' },
    { title: 'site' },
    { title: 'state' },
    { title: 'version' },
    { title: 'address', flexible: true },
    { title: 'endpoints', flexible: true },
  ],
  row: (p) => [
    p.name,
    p.site,
    { text: p.state, style: STATE_STYLE[p.state] ?? 'dim' },
    p.version ?? '-',
    p.address,
    p.endpoints.map(endpointText).join(' '),
  ],
  list: (api, query) => api.ask('Listing probes', api.client.GET('/v1/probes', { params: { query } })),
  get: (api, name) =>
    api.ask(
      `Showing probe ${name}`,
      api.client.GET('/v1/probes/{name}', { params: { path: { name } } }),
      'plumb probe list',
    ),
  print: (p, terminal) =>
    terminal.write(
      facts([
        ['name', p.name],
        ['site', p.site],
        ['state', p.reason === undefined ? p.state : `${p.state}: ${p.reason}`],
        ['last seen', p.lastSeenAt === null ? 'never' : formatTime(p.lastSeenAt)],
        ['version', p.version ?? 'unknown'],
        ['address', p.address],
        ['endpoints', p.endpoints.map(endpointText).join(', ')],
        ['certificate', certificateText(p)],
        ['clock', p.clockOffsetMs === null ? 'unknown' : `${formatMs(p.clockOffsetMs)} against the control plane`],
        [
          'tools',
          Object.keys(p.tools)
            .filter((tool) => p.tools[tool] !== null)
            .join(', '),
        ],
        [
          'missing tools',
          Object.keys(p.tools)
            .filter((tool) => p.tools[tool] === null)
            .join(', '),
        ],
        ['congestion control', p.congestionControls.join(', ')],
      ]),
    ),
};

const certificateText = (p: Probe): string =>
  p.certificateNotAfter === null
    ? p.enrolled
      ? 'enrolled'
      : 'none (unix socket, or not enrolled yet)'
    : `until ${formatTime(p.certificateNotAfter)}`;

const EnrolmentFlags = PrintsData.extend({ out: z.string().optional() });

/** The token goes into a file for its owner alone and never onto a screen or into a log. */
function addEnrolment(probe: Command, context: CommandContext): void {
  printsData(connected(probe.command('enrolment')))
    .argument('<name>')
    .summary('ask for a token with which a probe enrols')
    .description('Writes a one-time token (15 minutes) into a file, for plumb probe enrol on the host of the probe.')
    .option('--out <file>', 'the file to make (default NAME.enrolment)')
    .action(async (name: string, raw: unknown) => {
      const flags = EnrolmentFlags.parse(raw);
      const api = await connect(flags, context);
      const file = resolve(context.cwd, flags.out ?? `${name}.enrolment`);
      // Made before the token is asked for: a token that cannot be kept would be lost.
      const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
        throw usage(`The file ${file} cannot be made: ${sentenceOf(error)}.`, 'name another: --out FILE');
      });
      try {
        const { token, expiresAt, caSha256 } = await api.ask(
          `Asking for an enrolment of ${name}`,
          api.client.POST('/v1/probes/{name}/enrolment', { params: { path: { name } } }),
        );
        await handle.writeFile(`${token}\n`);
        if (flags.json) return printJson(context.out, { file, expiresAt, caSha256 });
        context.out.write(
          `The token is in ${file}, good once and until ${formatTime(expiresAt)}. Copy the file to the host of ${name}, then there:\n` +
            `  plumb probe enrol --server ${api.server} --token-file ${basename(file)} --data-dir DIR\n`,
        );
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
    });
}
