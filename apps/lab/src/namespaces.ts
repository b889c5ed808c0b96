import { readdir, readFile } from 'node:fs/promises';
import { runProcess } from '@plumbline/process';
import { LabError } from './lab-error.js';

const WITHIN_MS = 15_000;

/**
 * Runs `ip` with these arguments, and these lines on stdin when given (`-batch -`).
 * @returns stdout
 * @throws {LabError} program-missing, setup-failed with what `ip` said
 */
export async function runIp(args: readonly string[], lines?: readonly string[]): Promise<string> {
  return runTool(['ip', ...args], lines?.map((line) => `${line}\n`).join(''));
}

/** The same for any program. */
export async function runTool(argv: readonly [string, ...string[]], stdin?: string): Promise<string> {
  const run = await runProcess({ argv, timeoutMs: WITHIN_MS, ...(stdin === undefined ? {} : { stdin }) });
  if (run.outcome === 'exited' && run.exitCode === 0) return run.stdout.toString('utf8');
  if (run.outcome === 'not-started')
    throw new LabError('program-missing', run.error ?? `${argv[0]} could not be started`);
  const said =
    run.stderr.toString('utf8').trim() || `it ${run.outcome === 'exited' ? `ended with ${run.exitCode}` : run.outcome}`;
  throw new LabError('setup-failed', `${argv.join(' ')}: ${said.slice(0, 1000)}`);
}

/** Names of all named network namespaces (ip-netns(8)). */
export async function listNamespaces(): Promise<string[]> {
  return readdir('/run/netns').catch(() => []);
}

export async function addNamespace(name: string): Promise<void> {
  await runIp(['netns', 'add', name]);
}

/** Removes a namespace's name; no error when it is gone already. The kernel follows once no process is inside. */
export async function deleteNamespace(name: string): Promise<void> {
  try {
    await runIp(['netns', 'del', name]);
  } catch (error) {
    if ((await listNamespaces()).includes(name)) throw error;
  }
}

/** Pids of the processes that are inside a namespace, ours excepted. */
export async function pidsInside(namespace: string): Promise<number[]> {
  if (!(await listNamespaces()).includes(namespace)) return [];
  const text = await runIp(['netns', 'pids', namespace]);
  return text
    .split('\n')
    .filter((line) => /^\d+$/.test(line))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** The arguments of every process, by pid; processes that end meanwhile and kernel threads are left out. */
export async function readArguments(): Promise<Map<number, string[]>> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid): Promise<[number, string[]]> => {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [pid, text.split('\0').slice(0, -1)];
    }),
  );
  return new Map(found.filter(([, argv]) => argv.length > 0));
}
