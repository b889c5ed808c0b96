import { type End, type Ending, ended } from '@plumbline/model';
import { type AttemptOutput, defineAbility, type PhaseOutput, type ProbeHost, type Reading } from '../../ability.js';
import {
  type TraceHop,
  type TraceResult,
  type TraceSpec,
  trace,
  traceMetricsOf,
  traceRemarks,
} from '../../measurements/trace/index.js';
import { parseTracepath, type TracepathHop, type TracepathOutput } from './parse.js';
import { tracepath } from './version.js';

/** Each silent hop costs three seconds (tracepath.c, probe_ttl). */
const SILENT_HOP_MS = 3_500;

/** Reads what a trace by tracepath left behind: who answered and when. It asks once, so of loss it can say nothing. Never throws. */
export function readTracepath(spec: TraceSpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'tracepath');
  const parsed = phase && parseTracepath(phase.stdout);
  const seen = output.ending;
  const destination = phase?.argv.at(-1) ?? '';
  const result = parsed && parsed.hops.length > 0 ? resultOf(spec, parsed, destination) : undefined;
  const ending = endingOf(seen, phase, parsed, result);
  const metrics = traceMetricsOf(result, ending);
  return {
    ending,
    metrics,
    result: result ?? null,
    notes: [...(parsed?.notes ?? []), ...(result ? traceRemarks(result) : [])],
  };
}

function endingOf(
  seen: Ending,
  phase: PhaseOutput | undefined,
  parsed: TracepathOutput | undefined,
  result: TraceResult | undefined,
): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!parsed) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  if (result && parsed.mtuBytes === undefined) return ended('interrupted', 'tracepath came to no end.');
  if (result && seen.outcome === 'completed') return { outcome: 'completed' };
  if (result) return ended('interrupted', `tracepath ended with exit code ${phase?.exitCode}; its hops are kept.`);
  const words = phase?.stderr
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (words === undefined) return ended(parsed.notes.length > 0 ? 'output-unreadable' : 'output-empty');
  return ended(/unreachable|no route/i.test(words) ? 'no-route' : 'tool-failed', words);
}

/** The lines of a hop together. Its last line that names a host is the answer; silence in between was only slow. */
function resultOf({ method }: TraceSpec, { hops, reached }: TracepathOutput, destination: string): TraceResult {
  const numbers = [...new Set(hops.map(({ hop }) => hop))].sort((a, b) => a - b);
  const flow = {
    flow: 1,
    reached,
    hops: numbers.map((hop) =>
      hopOf(
        hop,
        hops.filter((one) => one.hop === hop),
      ),
    ),
  };
  return { tool: 'tracepath', method, destination, pinned: false, counted: false, flows: [flow] };
}

function hopOf(hop: number, lines: readonly TracepathHop[]): TraceHop {
  const answers = lines.filter(({ host }) => host !== undefined);
  const hosts = [...new Set(answers.flatMap(({ host }) => host ?? []))];
  const rtts = answers.flatMap(({ rttMs }) => rttMs ?? []);
  // What was sent is not told: a hop that answered is asked no more.
  const counts = { sent: answers.length, answered: answers.length };
  if (rtts.length === 0) return { hop, hosts, ...counts };
  const mean = rtts.reduce((a, b) => a + b, 0) / rtts.length;
  // Not Math.min(...rtts): a broken output may have more lines of one hop than a call may have arguments.
  const [least, greatest] = [rtts.reduce((a, b) => Math.min(a, b)), rtts.reduce((a, b) => Math.max(a, b))];
  return { hop, hosts, ...counts, rttMinMs: least, rttMeanMs: mean, rttMaxMs: greatest };
}

function refuses(spec: TraceSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far') return undefined;
  if (spec.method !== 'udp') return ended('parameter-unsupported', 'tracepath traces by UDP only; name mtr or hping3.');
  if (host.tools.tracepath !== undefined) return undefined;
  return ended('tool-missing', `tracepath is missing on the near host; install the package ${tracepath.package}.`);
}

const timeoutMs = ({ maxHops }: TraceSpec): number => maxHops * SILENT_HOP_MS + 5_000;

export const traceByTracepath = defineAbility(trace, {
  tool: 'tracepath',
  refuses,
  near: (spec, _host, input) => [
    {
      name: 'tracepath',
      tool: 'tracepath',
      argv: ['tracepath', '-n', '-m', String(spec.maxHops), input.peerAddress],
      timeoutMs: timeoutMs(spec),
    },
  ],
  read: readTracepath,
  longestDurationMs: (spec) => timeoutMs(spec) + 2_000,
});
