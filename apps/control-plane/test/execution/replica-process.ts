import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess } from '@plumbline/process';
import type { ReplicaOptions } from './replica.js';

const PROGRAM = fileURLToPath(new URL('./replica-process.mjs', import.meta.url));
const START_MS = 30_000;

export interface ReplicaProcess {
  readonly name: string;
  readonly pid: number;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  stop(): Promise<void>;
}

/** A replica in a process of its own. @throws {Error} with what it printed when it does not start */
export async function startReplicaProcess(options: ReplicaOptions & { name: string }): Promise<ReplicaProcess> {
  let printed = '';
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const started: RunningProcess = startProcess({
    argv: [process.execPath, PROGRAM],
    env: { REPLICA_OPTIONS: JSON.stringify(options), ...(process.env.SHOW_LOG ? { SHOW_LOG: '1' } : {}) },
    onStdout: (chunk) => {
      printed += chunk.toString();
      if (process.env.SHOW_LOG) process.stderr.write(chunk);
      if (/^ready$/m.test(printed)) ready();
    },
    onStderr: (chunk) => {
      printed += chunk.toString();
      if (process.env.SHOW_LOG) process.stderr.write(chunk);
    },
  });
  const late = setTimeout(() => void started.stop(0), START_MS);
  await Promise.race([
    isReady,
    started.result.then((result) => {
      throw new Error(`the replica ended (${result.outcome} ${result.exitCode}): ${printed.slice(-2000)}`);
    }),
  ]);
  clearTimeout(late);
  const pid = started.pid ?? 0;
  return {
    name: options.name,
    pid,
    signal: (name) => void process.kill(pid, name),
    stop: async () => void (await started.stop(2_000)),
  };
}
