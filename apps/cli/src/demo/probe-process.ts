import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess } from '@plumbline/process';
import { Failure } from '../failure.js';
import { LONGEST_SOCKET_PATH_BYTES } from '../stack/limits.js';
import type { DemoHost } from './ground.js';

const READY_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 4_000;
const main = fileURLToPath(new URL('../main.js', import.meta.url));

export interface DemoProbe {
  /** As the control plane reaches it. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Starts a real probe (`plumb probe ...`) on a host of the demonstration and waits until it listens.
 * @throws {Failure} with the last lines that it wrote
 */
export async function startDemoProbe(host: DemoHost, site: string, dataDir: string): Promise<DemoProbe> {
  const socket = join(dataDir, 'probes', `${host.probe}.sock`);
  if (Buffer.byteLength(socket) > LONGEST_SOCKET_PATH_BYTES)
    throw new Failure(`The data folder's path is too long for the unix sockets of probes (${socket}).`, {
      next: 'name a shorter --data-dir, or --no-demo',
    });
  await mkdir(join(dataDir, 'log'), { recursive: true, mode: 0o700 });
  // Left by a probe that was killed; the folder is ours alone.
  await rm(socket, { force: true });
  const { name, address, interface: device } = host.endpoint;
  const endpoint = `${name}=${address}${device === undefined ? '' : `@${device}`}`;
  const log = join(dataDir, 'log', `${host.probe}.log`);
  const flags = ['--name', host.probe, '--site', site, '--listen', `unix:${socket}`, '--endpoint', endpoint];
  const state = ['--data-dir', join(dataDir, 'probes', host.probe), '--log-level', 'warn'];
  let heard = '';
  let ready: () => void = () => {};
  const listening = new Promise<'listening'>((resolve) => {
    ready = () => resolve('listening');
  });
  const running = startProcess({
    argv: host.argv([process.execPath, main, 'probe', ...flags, ...state]),
    output: { stdoutFile: '/dev/null', stderrFile: log },
    maxOutputBytes: Number.POSITIVE_INFINITY,
    onStdout: (chunk) => {
      heard += chunk.toString('utf8');
      if (heard.includes(' listening on ')) ready();
    },
  });
  await untilListening(running, listening, host.probe, log);
  return {
    address: `unix:${socket}`,
    stop: async () => {
      await running.stop(STOP_WITHIN_MS);
    },
  };
}

async function untilListening(
  running: RunningProcess,
  listening: Promise<'listening'>,
  probe: string,
  log: string,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), READY_WITHIN_MS);
  });
  // Ends when it listens or has ended, at the latest after READY_WITHIN_MS.
  const first = await Promise.race([listening, running.result, late]);
  clearTimeout(timer);
  if (first === 'listening') return;
  if (first === 'late') await running.stop();
  const how =
    first === 'late' ? `did not listen within ${READY_WITHIN_MS / 1000} s` : `ended (${first.error ?? first.outcome})`;
  throw new Failure(`The probe ${probe} ${how}.`, { next: `look into ${log}` });
}
