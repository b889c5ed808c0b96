import { type Ending, ended } from '@plumbline/model';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  type TraceFlow,
  type TraceResult,
  type TraceSpec,
  traceMetricsOf,
  traceRemarks,
} from '../../measurements/trace/index.js';
import { flowPhase } from './argv.js';
import { type MtrRead, parseMtr } from './parse.js';
import { mtr } from './version.js';

interface FlowRead {
  readonly flow: number;
  readonly phase: PhaseOutput | undefined;
  readonly read: MtrRead | undefined;
}

/** Reads what a trace by mtr left behind. Never throws. */
export function readMtr(spec: TraceSpec, output: AttemptOutput): Reading {
  const reads = Array.from({ length: spec.flows }, (_, i): FlowRead => {
    const phase = output.phases.find(({ end, name }) => end === 'near' && name === flowPhase(i + 1));
    return { flow: i + 1, phase, read: phase && parseMtr(phase.stdout) };
  });
  const destination = reads.flatMap(({ phase }) => phase?.argv.at(-1) ?? [])[0] ?? '';
  const flows = reads.flatMap(({ flow, read }) => (read && 'hops' in read ? [flowOf(flow, read, destination)] : []));
  const ending = endingOf(output.ending, reads);
  const pinned = spec.method === 'udp';
  const result: TraceResult | undefined =
    flows.length > 0 ? { tool: 'mtr', method: spec.method, destination, pinned, counted: true, flows } : undefined;
  const notes = [...new Set(reads.flatMap(({ read }) => read?.notes ?? []))];
  const metrics = traceMetricsOf(result, ending);
  return { ending, metrics, result: result ?? null, notes: [...notes, ...(result ? traceRemarks(result) : [])] };
}

/** The far end is reached when it is the last that answered: mtr goes on asking some hops beyond a silent end. */
function flowOf(flow: number, { hops }: Extract<MtrRead, { hops: unknown }>, destination: string): TraceFlow {
  const at = hops.findIndex(({ host }) => host === destination);
  const counted = at < 0 ? hops : hops.slice(0, at + 1);
  return {
    flow,
    reached: at >= 0,
    hops: counted.map(({ host, ...hop }) => ({ ...hop, hosts: host === undefined ? [] : [host] })),
  };
}

function endingOf(seen: Ending, reads: readonly FlowRead[]): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  const endings = reads.map(endingOfFlow);
  const failed = endings.find((ending) => ending.outcome !== 'completed');
  if (!failed) return { outcome: 'completed' };
  const some = endings.some((ending) => ending.outcome === 'completed');
  return some ? ended('interrupted', 'Not every flow was walked.') : failed;
}

function endingOfFlow({ phase, read }: FlowRead): Ending {
  if (!phase || !read) return ended('output-empty');
  if (phase.signal !== null) return ended('tool-killed', `mtr was ended by ${phase.signal}.`);
  if ('hops' in read && phase.exitCode === 0) return { outcome: 'completed' };
  const words = phase.stderr
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (words === undefined)
    return 'problem' in read
      ? ended(read.problem)
      : ended('tool-failed', `mtr ended with exit code ${phase.exitCode}.`);
  if (/unreachable|no route/i.test(words)) return ended('no-route', words);
  // Since 0.94 JSON is only in builds with jansson.
  if (/(unrecognized|invalid|unknown) option/i.test(words))
    return ended('tool-too-old', `${words}; install the package ${mtr.package}.`);
  return ended(/interval|not permitted|raw socket/i.test(words) ? 'parameter-unsupported' : 'tool-failed', words);
}
