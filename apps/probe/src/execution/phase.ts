import { existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Phase } from '@plumbline/measure';
import { type Ending, ended } from '@plumbline/model';
import type { PhaseEnd } from '@plumbline/probe-rpc';
import { type ProcessResult, type RunningProcess, startProcess } from '@plumbline/process';
import type { Children } from '../children.js';
import type { AttemptLog } from '../spool/attempt-log.js';
import { startSampler } from './sampler.js';

/** Between TERM and KILL, so that Stop returns within a second. */
export const GRACE_MS = 300;
/** Of one artifact, and of stdout and stderr together. */
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export interface PhaseRun {
  readonly end: PhaseEnd;
  /** Undefined: the program ended with 0. */
  readonly failure: Ending | undefined;
  readonly truncated: boolean;
}

export interface PhaseContext {
  readonly log: AttemptLog;
  /** For `{file:NAME}`; made with mode 0700 and removed with the phase. */
  readonly temporary: string;
  readonly children: Children;
  readonly signal: AbortSignal;
  /** What the artifact with the readings of its sockets is called. */
  readonly samplesName: string;
  /** Called with each reading of the phase's sockets. */
  readonly onSample?: () => void;
  /** Told the program's pid when it starts, and undefined when it has ended. */
  readonly onPid: (pid: number | undefined) => void;
  /** Called when the text by which it tells that it is ready has come. */
  readonly onReady: () => void;
}

/** Runs one program of an attempt: its output and samples go into the log, its temporary files are gone when this ends. */
export async function runPhase(phase: Phase, context: PhaseContext): Promise<PhaseRun> {
  const { log, temporary, signal } = context;
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  try {
    const argv = withFiles(phase, temporary, log);
    const startedAtMs = performance.now();
    const running = startProcess({
      argv,
      atOnce: true,
      env: phase.env,
      timeoutMs: phase.timeoutMs,
      graceMs: GRACE_MS,
      maxOutputBytes: OUTPUT_MAX_BYTES,
      output: {
        stdoutFile: log.artifactFile(`${phase.name}.stdout`),
        stderrFile: log.artifactFile(`${phase.name}.stderr`),
      },
      // Through us into the files: the limit then holds exactly, however fast the program prints.
      onStdout: () => {},
      ...whenReady(phase, context.onReady),
      signal,
    });
    try {
      const result =
        running.pid === null
          ? await running.result
          : await accompany(phase, context, running.pid, running, argv, startedAtMs);
      const large = await keepCapture(phase, log);
      const truncated = result.outcome === 'output-too-large' || large !== undefined;
      return { end: toPhaseEnd(phase, argv, result), failure: failureOf(phase, result) ?? large, truncated };
    } finally {
      // Only does something when we failed on the way, a full disk say: no program outlives its phase.
      await running.stop(0);
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Tells of the program while it runs, and keeps what it left. Ends at the phase's own timeout at the latest. */
async function accompany(
  phase: Phase,
  context: PhaseContext,
  pid: number,
  running: RunningProcess,
  argv: string[],
  startedAtMs: number,
): Promise<ProcessResult> {
  const { log, children } = context;
  const forget = children.record(pid);
  log.append({ $case: 'started', value: { phase: phase.name, tool: phase.tool, argv, pid } });
  context.onPid(pid);
  const samples = beginSampling(phase, context, startedAtMs);
  try {
    const result = await running.result;
    const [some] = await Promise.all([samples?.sampler.stop(), keepOutput(phase, log)]);
    if (samples && some)
      await log.addArtifact({ name: samples.name, phase: phase.name, tool: 'ss', stream: 'samples' });
    return result;
  } finally {
    context.onPid(undefined);
    forget();
    await samples?.sampler.stop();
  }
}

/** Writes the phase's temporary files and puts their paths into argv. */
function withFiles(phase: Phase, folder: string, log: AttemptLog): [string, ...string[]] {
  for (const [name, text] of Object.entries(phase.files ?? {}))
    writeFileSync(join(folder, encodeURIComponent(name)), text, { mode: 0o600, flag: 'wx' });
  const [program = '', ...rest] = phase.argv.map((part) =>
    part
      .replace(/\{file:([^}]+)\}/g, (_, name: string) => join(folder, encodeURIComponent(name)))
      .replace('{capture}', () => log.artifactFile(captureName(phase))),
  );
  return [program, ...rest];
}

const captureName = ({ name }: Phase): string => `${name}.capture`;

/** Announces the capture, which the program wrote by itself. @returns the failure when it is larger than an artifact may be */
async function keepCapture(phase: Phase, log: AttemptLog): Promise<Ending | undefined> {
  const name = captureName(phase);
  const file = log.artifactFile(name);
  if (!phase.capture || !existsSync(file)) return undefined;
  const large = statSync(file).size > OUTPUT_MAX_BYTES;
  if (large) truncateSync(file, OUTPUT_MAX_BYTES);
  await log.addArtifact({ name, phase: phase.name, tool: phase.tool, stream: 'capture' });
  return large ? ended('output-too-large', `${phase.tool} captured more than ${OUTPUT_MAX_BYTES} bytes.`) : undefined;
}

/** Listens to stderr until the phase's text of readiness has come; to nothing when it has none. */
function whenReady({ beside }: Phase, onReady: () => void): { onStderr?: (chunk: Buffer) => void } {
  const text = beside?.readyText;
  if (text === undefined) return {};
  let said = '';
  return {
    onStderr: (chunk) => {
      // Enough to find a text that comes in two chunks.
      said = (said + chunk.toString('utf8')).slice(-4096);
      if (said.includes(text)) onReady();
    },
  };
}

function beginSampling(phase: Phase, context: PhaseContext, startedAtMs: number) {
  if (!phase.sockets) return undefined;
  const { log, onSample, samplesName: name } = context;
  const sampler = startSampler({
    filter: phase.sockets,
    file: log.artifactFile(name),
    startedAtMs,
    onSample: (text, elapsedMs) => {
      log.append({ $case: 'sample', value: { tool: 'ss', text, elapsedMs } });
      onSample?.();
    },
  });
  return { name, sampler };
}

async function keepOutput({ name, tool }: Phase, log: AttemptLog): Promise<void> {
  for (const stream of ['stdout', 'stderr'] as const)
    await log.addArtifact({ name: `${name}.${stream}`, phase: name, tool, stream });
}

function toPhaseEnd(phase: Phase, argv: string[], result: ProcessResult): PhaseEnd {
  return {
    phase: phase.name,
    tool: phase.tool,
    argv,
    exitCode: result.exitCode ?? undefined,
    signal: result.signal ?? '',
    startedAt: result.startedAt,
    endedAt: result.endedAt,
    cpuUserUs: result.cpuUserUs === undefined ? undefined : BigInt(result.cpuUserUs),
    cpuSystemUs: result.cpuSystemUs === undefined ? undefined : BigInt(result.cpuSystemUs),
  };
}

/** How a program ended, as far as the probe understands: what it printed is for the control plane to read. */
function failureOf({ tool, timeoutMs }: Phase, result: ProcessResult): Ending | undefined {
  switch (result.outcome) {
    case 'not-started':
      return ended('tool-not-started', `${tool}: ${result.error ?? 'the system did not start it'}.`);
    case 'timed-out':
      return ended('deadline-exceeded', `${tool} ran for more than ${timeoutMs} ms.`);
    case 'output-too-large':
      return ended('output-too-large', result.error);
    // Somebody ended the attempt; the attempt itself knows why.
    case 'aborted':
      return ended('interrupted');
    case 'exited':
      if (result.exitCode === 0) return undefined;
      if (result.exitCode !== null) return ended('tool-failed', `${tool} ended with exit code ${result.exitCode}.`);
      return ended('tool-killed', `${tool} was ended by ${result.signal ?? 'the kernel'}.`);
  }
}
