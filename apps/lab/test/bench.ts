import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessResult } from '@plumbline/process';
import {
  type Direction,
  type Host,
  type Lab,
  type LabOptions,
  type LabPlace,
  type LabStatus,
  type LinkNumber,
  labExec,
  labSet,
  labStart,
  labStatus,
  labUp,
  parseLinkCommand,
} from '../src/index.js';
import { type Captured, readPcap } from './pcap.js';

/** A lab of a test: its name is unique on this machine, its state and captures lie in a folder of their own. */
export interface Bench extends Required<LabPlace> {
  name: string;
  folder: string;
}

export async function makeBench(what: string): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'plumb-lab-'));
  return { name: `t${process.pid}${what}`, folder, labsDir: join(folder, 'labs') };
}

const placeOf = ({ labsDir }: Bench): LabPlace => ({ labsDir });

export const upOn = (bench: Bench, options: Omit<LabOptions, 'name' | 'labsDir'> = {}): Promise<Lab> =>
  labUp({ name: bench.name, ...placeOf(bench), ...options });

/** Changes a link by the words of `plumb lab set`: `set(bench, 2, 'ab', 'loss 5%')`. */
export async function set(
  bench: Bench,
  link: LinkNumber,
  direction: Direction | undefined,
  words: string,
): Promise<void> {
  await labSet(bench.name, link, direction, parseLinkCommand(words.split(' ')), placeOf(bench));
}

/** Runs a command line without quotes on a host. */
export const run = (bench: Bench, host: Host, line: string, timeoutMs = 20_000): Promise<ProcessResult> =>
  labExec(bench.name, host, line.split(' '), { ...placeOf(bench), timeoutMs });

export const status = (bench: Bench): Promise<LabStatus> => labStatus(bench.name, placeOf(bench));

export const removeBench = (bench: Bench): Promise<void> => rm(bench.folder, { recursive: true, force: true });

const SENDER = fileURLToPath(new URL('./udp-sender.mjs', import.meta.url));

export interface Stream {
  address?: string;
  port?: number;
  count: number;
  payloadBytes: number;
  packetsPerSecond: number;
}

/** Sends numbered datagrams from one host and waits until the last has left it. */
export async function sendUdp(bench: Bench, from: Host, stream: Stream): Promise<void> {
  const { address = '192.0.2.66', port = 9, count, payloadBytes, packetsPerSecond } = stream;
  const sent = await run(
    bench,
    from,
    [process.execPath, SENDER, address, port, count, payloadBytes, packetsPerSecond].join(' '),
  );
  if (sent.exitCode !== 0) throw new Error(`sender: ${sent.error ?? sent.stderr.toString()}`);
}

export interface Capture {
  stop(): Promise<Captured[]>;
}

let captures = 0;

/** Captures the first 120 bytes of every frame in one direction at an interface, until stopped. Throws when tcpdump lost frames. */
export async function capture(bench: Bench, host: Host, name: string, direction: 'in' | 'out'): Promise<Capture> {
  const file = join(bench.folder, `${host}-${name}-${direction}-${captures++}.pcap`);
  const options = '-n -U -s 120 -B 32768 -Z root --immediate-mode --time-stamp-precision=nano'.split(' ');
  let listening: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    listening = resolve;
  });
  let said = '';
  const running = await labStart(bench.name, host, ['tcpdump', ...options, '-Q', direction, '-i', name, '-w', file], {
    labsDir: bench.labsDir,
    onStderr: (chunk) => {
      said += chunk.toString();
      if (said.includes('listening on')) listening();
    },
  });
  // Ends when tcpdump listens or has ended.
  await Promise.race([started, running.result]);
  return {
    stop: async () => {
      await delay(100);
      await running.stop(3000);
      const dropped = Number(/(\d+) packets? dropped by kernel/.exec(said)?.[1] ?? Number.NaN);
      if (dropped !== 0) throw new Error(`tcpdump on ${host} ${name}: ${said}`);
      return readPcap(file);
    },
  };
}

/** What of a lab is left on this machine: namespaces, processes that name it, files. */
export async function leftovers(bench: Bench, name = bench.name): Promise<string[]> {
  const namespaces = (await readdir('/run/netns').catch(() => [])).filter((entry) =>
    entry.startsWith(`plumb-${name}-`),
  );
  const files = (await readdir(bench.labsDir).catch(() => [])).filter((entry) => entry === name);
  return [...namespaces, ...files, ...(await processesNaming(`plumb-${name}-`))];
}

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry) && entry !== String(process.pid));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).map((line) => line.replaceAll('\0', ' '));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('the median of nothing');
  return middle;
}

/** Whether a count of `n` draws at probability `p` lies within 4.5 standard deviations: wrong once in 150,000 times. */
export function expectBinomial(count: number, n: number, p: number): { least: number; most: number; holds: boolean } {
  const spread = 4.5 * Math.sqrt(n * p * (1 - p));
  const [least, most] = [n * p - spread, n * p + spread];
  return { least, most, holds: count >= least && count <= most };
}
