import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isAlive, type ProcessIdentity, runProcess, startProcess } from '@plumbline/process';
import { LabError, sentenceOf } from './lab-error.js';
import type { EmulatorState, LabState } from './lab-state.js';
import { readArguments } from './namespaces.js';
import { HOSTS, LINK_PLACES, namespacePath } from './topology.js';

const READY_WITHIN_MS = 10_000;
const GONE_WITHIN_MS = 3000;

type LabFacts = Pick<LabState, 'name' | 'mode' | 'mtuBytes'> & { seed?: number };

function emulatorArgv(program: string, lab: LabFacts, emulator: EmulatorState): [string, ...string[]] {
  const { a, b } = LINK_PLACES[emulator.link - 1] ?? LINK_PLACES[0];
  const place = (side: typeof a): string => `${namespacePath(lab.name, side.host)}:${side.name}`;
  return [
    program,
    ...['--a', place(a), '--b', place(b), '--control', emulator.control, '--mtu', String(lab.mtuBytes)],
    // Two links with one seed would lose the same packets.
    ...(lab.seed === undefined ? [] : ['--seed', String(lab.seed + (emulator.link - 1) * 2 ** 32)]),
    ...(lab.mode === 'detached' ? ['--daemon', emulator.log] : []),
  ];
}

/**
 * Starts one emulator and waits until its devices exist and its control socket listens, 10 s at the longest.
 * @throws {LabError} emulator-failed with what it printed
 */
export async function startEmulator(program: string, lab: LabFacts, emulator: EmulatorState): Promise<ProcessIdentity> {
  const argv = emulatorArgv(program, lab, emulator);
  const printed = lab.mode === 'detached' ? await outputOfStarter(argv) : await firstLineOf(argv);
  const pid = Number(/^ready (\d+)$/m.exec(printed)?.[1]);
  const identity = Number.isInteger(pid) ? identifyProcess(pid) : undefined;
  if (!identity)
    throw new LabError(
      'emulator-failed',
      `the emulator of link ${emulator.link} did not start: ${printed.trim() || 'it printed nothing'}`,
    );
  return identity;
}

/** Detached: the process we start ends as soon as the one that stays behind is ready. */
async function outputOfStarter(argv: [string, ...string[]]): Promise<string> {
  const run = await runProcess({ argv, timeoutMs: READY_WITHIN_MS });
  return run.exitCode === 0 ? run.stdout.toString('utf8') : (run.error ?? run.stderr.toString('utf8'));
}

/** Owned: it runs on as our child. Ends with its first line, with its end, or after READY_WITHIN_MS. */
async function firstLineOf(argv: [string, ...string[]]): Promise<string> {
  let sawLine: (line: string) => void = () => {};
  const line = new Promise<string>((resolve) => {
    sawLine = resolve;
  });
  let printed = '';
  const running = startProcess({
    argv,
    onStdout: (chunk) => {
      printed += chunk.toString('utf8');
      if (printed.includes('\n')) sawLine(printed);
    },
  });
  const ended = running.result.then(({ error, stderr }) => error ?? stderr.toString('utf8'));
  const late = delay(READY_WITHIN_MS, undefined, { ref: false });
  const first = await Promise.race([line, ended, late]);
  if (first === undefined) await running.stop(0);
  return first ?? `it was not ready after ${READY_WITHIN_MS / 1000} s`;
}

/** Every process whose arguments say that it carries a link of that lab, whatever state file knows of it. */
export async function findEmulators(lab: string): Promise<ProcessIdentity[]> {
  const places = HOSTS.map((host) => `${namespacePath(lab, host)}:`);
  const carries = (argv: readonly string[]): boolean =>
    argv.includes('--control') &&
    argv.some((word, at) => argv[at - 1] === '--a' && places.some((place) => word.startsWith(place)));
  const found = [...(await readArguments())].filter(([, argv]) => carries(argv)).map(([pid]) => identifyProcess(pid));
  return found.filter((identity) => identity !== undefined);
}

/** Whether every link of the lab is carried by the emulator that was started for it. */
export const isCarried = (state: LabState): boolean =>
  state.emulators.every((emulator) => emulator.process !== undefined && isAlive(emulator.process));

/**
 * Ends exactly these processes: TERM, after `graceMs` KILL, and waits until they are gone.
 * @throws {LabError} setup-failed when one is still there 3 s after KILL
 */
export async function endProcesses(processes: readonly ProcessIdentity[], graceMs: number): Promise<void> {
  if (graceMs > 0) await signalAndWait(processes, 'SIGTERM', graceMs);
  const left = await signalAndWait(processes.filter(isAlive), 'SIGKILL', GONE_WITHIN_MS);
  if (left.length > 0)
    throw new LabError(
      'setup-failed',
      `the kernel does not let go of process ${left.map(({ pid }) => pid).join(', ')}`,
    );
}

/** Ends when none is left, at the latest after `waitMs`. */
async function signalAndWait(processes: readonly ProcessIdentity[], signal: NodeJS.Signals, waitMs: number) {
  const until = performance.now() + waitMs;
  for (const identity of processes.filter(isAlive)) trySignal(identity.pid, signal);
  let left = processes.filter(isAlive);
  while (left.length > 0 && performance.now() < until) {
    await delay(10);
    left = left.filter(isAlive);
  }
  return left;
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!/ESRCH/.test(sentenceOf(error))) throw error;
  }
}
