import type { AttemptOutput, PhaseOutput } from '@plumbline/measure';
import type { Command, End, Ending, HostSnapshot, SocketSample } from '@plumbline/model';
import type { PhaseEnd } from '@plumbline/probe-rpc';
import type { ClockOffset } from '../probes/probe-facts.js';
import type { EndRecord } from './end-record.js';

/** What the parsers get: both ends' programs with what they printed, the samples and the snapshots. */
export function attemptOutput(
  records: readonly EndRecord[],
  samples: readonly SocketSample[],
  snapshots: Partial<Record<End, HostSnapshot>>,
  ending: Ending,
): AttemptOutput {
  return { phases: records.flatMap(phasesOf), samples, snapshots, ending };
}

/** The programs of one end. Those that never ended, as far as is known, have neither exit code nor signal. */
export function phasesOf(record: EndRecord): PhaseOutput[] {
  const ended = record.finished?.phases ?? [];
  const open = record.started.filter(({ started }) => !ended.some((phase) => phase.phase === started.phase));
  const bytes = (phase: string, tool: string, stream: string): Buffer | undefined =>
    record.artifacts.find((one) => one.phase === phase && one.artifact.tool === tool && one.artifact.stream === stream)
      ?.bytes;
  const text = (phase: string, tool: string, stream: string): string =>
    bytes(phase, tool, stream)?.toString('utf8') ?? '';
  return [...ended, ...open.map(({ started }) => started)].map((phase): PhaseOutput => {
    const end = 'exitCode' in phase || 'signal' in phase ? phase : undefined;
    const capture = bytes(phase.phase, phase.tool, 'capture');
    return {
      end: record.end,
      name: phase.phase,
      tool: phase.tool,
      argv: phase.argv,
      exitCode: end?.exitCode ?? null,
      signal: end?.signal || null,
      stdout: text(phase.phase, phase.tool, 'stdout'),
      stderr: text(phase.phase, phase.tool, 'stderr'),
      ...(capture ? { capture } : {}),
      ...(end?.cpuUserUs === undefined ? {} : { cpuUserUs: Number(end.cpuUserUs) }),
      ...(end?.cpuSystemUs === undefined ? {} : { cpuSystemUs: Number(end.cpuSystemUs) }),
      ...(end ? durationOf(end) : {}),
    };
  });
}

/** The programs that have started so far, without what they printed: enough to tell sockets apart while a test runs. */
export const startedPhases = ({ end, started }: EndRecord): PhaseOutput[] =>
  started.map(({ started: { phase, tool, argv } }) => ({
    ...{ end, name: phase, tool, argv },
    ...{ exitCode: null, signal: null, stdout: '', stderr: '' },
  }));

function durationOf({ startedAt, endedAt }: PhaseEnd): { durationMs?: number } {
  return startedAt && endedAt ? { durationMs: endedAt.getTime() - startedAt.getTime() } : {};
}

/** The exact command lines, for the record. Times are the probe's own. */
export function commandsOf(record: EndRecord): Command[] {
  return phasesOf(record).map(({ end, name, tool, argv, exitCode, signal }) => {
    const ended = record.finished?.phases.find((phase) => phase.phase === name);
    const begun = record.started.find(({ started }) => started.phase === name);
    return {
      end,
      phase: name,
      tool,
      argv: [...argv],
      exitCode,
      signal,
      startedAt: (ended?.startedAt ?? begun?.at)?.toISOString() ?? null,
      endedAt: ended?.endedAt?.toISOString() ?? null,
    };
  });
}

/**
 * When the last program of the near side ended, by our clock. A result that was fetched late ended no later for that.
 * @returns undefined when either is not known: no program is known to have ended, or how far the probe's clock is off
 */
export function endedAtNear({ finished }: EndRecord, clock: ClockOffset | undefined): Date | undefined {
  const ends = finished?.phases.flatMap(({ endedAt }) => endedAt?.getTime() ?? []) ?? [];
  if (clock === undefined || ends.length === 0) return undefined;
  return new Date(Math.round(Math.max(...ends) - clock.offsetMs));
}
