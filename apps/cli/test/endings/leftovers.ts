import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '@plumbline/process';
import { Redis } from 'ioredis';
import pg from 'pg';
import { commandOf, type KillableSite, PROBES } from './killable-site.js';
import { namespacesNow } from './namespaces.js';

/** What runs have left behind at a site where nothing runs: processes, ports, files, claims, jobs. Empty: nothing. */
export async function leftovers(site: KillableSite, temporary: string): Promise<string[]> {
  return [
    ...PROBES.flatMap((name) => programsLeft(site, name).map((pid) => `program of ${name}: ${shown(pid)}`)),
    ...strays(Object.values(site.addresses)),
    ...(await listeners(site)),
    ...namespaces(site),
    ...PROBES.flatMap((name) =>
      ['tmp', 'children', 'spool'].flatMap((folder) => entriesOf(join(site.probeDir(name), folder))),
    ),
    ...entriesOf(temporary),
    ...(await rowsLeft(site.product.dataDir)),
    ...(await jobsLeft(site.product.dataDir)),
  ];
}

const entriesOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => `file ${join(folder, name)}`) : [];
/** Shells that a probe keeps waiting to become a test's programs (docs/operating.md); one more would be left over. */
const WAITING_SHELLS = 3;

function programsLeft(site: KillableSite, name: (typeof PROBES)[number]): number[] {
  const pids = site.programsOf(name).map(({ pid }) => pid);
  const waiting = pids.filter((pid) => commandOf(pid) === 'sh\0').slice(0, WAITING_SHELLS);
  return pids.filter((pid) => !waiting.includes(pid));
}

const shown = (pid: number): string => `${pid} ${commandOf(pid).replaceAll('\0', ' ')}`;

/** Processes anywhere that talk about the site's addresses, besides its probes. */
export const strays = (addresses: readonly string[]): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const words = commandOf(pid).split('\0');
      return addresses.some((address) => words.includes(address)) && !words.includes('probe');
    })
    .map((pid) => `process ${shown(pid)}`);

/** TCP and UDP sockets that wait for clients on ports of the site's probes, whatever their address. */
export async function listeners({ ports: { low, high } }: KillableSite): Promise<string[]> {
  const { stdout } = await runProcess({ argv: ['ss', '-Hltun'], timeoutMs: 10_000 });
  return stdout
    .toString()
    .split('\n')
    .map((line) => line.split(/\s+/)[4] ?? '')
    .filter((local) => {
      const port = Number(/:(\d+)$/.exec(local)?.[1] ?? Number.NaN);
      return port >= low && port <= high;
    })
    .map((local) => `port ${local}`);
}

/** Namespaces that were not there before, but for those of labs whose own process, named in them, lives. */
function namespaces({ namespacesBefore }: KillableSite): string[] {
  const isOfAnother = (name: string): boolean => {
    const pid = Number(/-(\d+)-\w+$/.exec(name)?.[1] ?? Number.NaN);
    return pid !== process.pid && commandOf(pid) !== '';
  };
  return namespacesNow()
    .filter((name) => !namespacesBefore.includes(name) && !isOfAnother(name))
    .map((name) => `namespace ${name}`);
}

async function rowsLeft(dataDir: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: `postgresql://app@localhost/plumbline?host=${dataDir}/postgres` });
  await client.connect();
  try {
    const { rows } = await client.query<{ what: string }>(`
      SELECT 'claim on ' || resource AS what FROM claim
      UNION ALL SELECT 'open leg ' || id FROM leg WHERE state IN ('queued', 'running') OR owner IS NOT NULL
      UNION ALL SELECT 'open attempt ' || id FROM attempt WHERE outcome IS NULL`);
    return rows.map(({ what }) => what);
  } finally {
    await client.end();
  }
}

async function jobsLeft(dataDir: string): Promise<string[]> {
  const redis = new Redis({ path: join(dataDir, 'redis', 'redis.sock'), lazyConnect: true, maxRetriesPerRequest: 1 });
  try {
    await redis.connect();
    const keys = await redis.keys('*');
    return keys.filter((key) => /:leg-/.test(key) || /:(wait|active|delayed|failed|paused|prioritized)$/.test(key));
  } finally {
    redis.disconnect();
  }
}
