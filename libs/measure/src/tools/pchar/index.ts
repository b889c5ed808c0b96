import { type End, type Ending, ended } from '@plumbline/model';
import {
  type AttemptOutput,
  defineAbility,
  type NearInput,
  type PhaseOutput,
  type ProbeHost,
  type Reading,
} from '../../ability.js';
import {
  HOPS_GAP_S,
  type HopsResult,
  type HopsSpec,
  hops,
  hopsMetricsOf,
  hopsRemarks,
} from '../../measurements/hops/index.js';
import { type PcharOutput, parsePchar } from './parse.js';
import { pchar } from './version.js';

/** pchar's sizes begin there (pc.h and main.cc): the rest of the range is shared out. */
const TIMEOUT_S = 1;
/** Lower effort, DSCP 000001 (RFC 8622), as a TOS byte: other traffic goes first. */
const LOWER_EFFORT_TOS = 4;

/** Its output comes line by line (stdbuf, coreutils), so that what it had found is kept when it runs out of time. */
export function pcharArgv(spec: HopsSpec, { address, peerAddress }: NearInput): string[] {
  const increment = Math.max(1, Math.floor(spec.maxBytes / spec.sizes));
  return [
    ...['stdbuf', '-oL', 'pchar', '-n', '-R', String(spec.repetitions), '-I', String(increment)],
    ...['-m', String(spec.maxBytes), '-H', String(spec.maxHops), '-g', String(HOPS_GAP_S), '-t', String(TIMEOUT_S)],
    ...['-T', String(LOWER_EFFORT_TOS), ...(peerAddress.includes(':') ? ['-p', 'ipv6udp'] : [])],
    ...['-l', address, peerAddress],
  ];
}

/** Reads what a characterization left behind; what came before it ran out of time is kept. Never throws. */
export function readPchar(spec: HopsSpec, output: AttemptOutput): Reading {
  const phase = output.phases.find(({ end, name }) => end === 'near' && name === 'pchar');
  const parsed = phase && parsePchar(phase.stdout);
  const result: HopsResult | undefined =
    parsed && parsed.links.length > 0
      ? { tool: 'pchar', reached: parsed.reached ?? false, pathRateBps: parsed.pathRateBps, links: [...parsed.links] }
      : undefined;
  const ending = endingOf(spec, output.ending, phase, parsed, result);
  const metrics = hopsMetricsOf(result, ending);
  return {
    ending,
    metrics,
    result: result ?? null,
    notes: [...(parsed?.notes ?? []), ...(result ? hopsRemarks(result) : [])],
  };
}

/** Whether the probe ended it; another may do so sooner. */
const isOutOfTime = (spec: HopsSpec, { durationMs }: PhaseOutput): boolean =>
  durationMs === undefined || durationMs >= timeoutMs(spec);

function endingOf(
  spec: HopsSpec,
  seen: Ending,
  phase: PhaseOutput | undefined,
  parsed: PcharOutput | undefined,
  result: HopsResult | undefined,
): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!phase || !parsed) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  const words = phase.stderr
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (!result) {
    if (phase.signal !== null)
      return isOutOfTime(spec, phase)
        ? ended('deadline-exceeded', 'Not one hop was characterized in the time given; they may limit their ICMP.')
        : ended('tool-killed', `pchar was ended by ${phase.signal}.`);
    if (words === undefined) return ended(phase.stdout.trim() === '' ? 'output-empty' : 'output-unreadable');
    return ended(/unreachable|no route/i.test(words) ? 'no-route' : 'tool-failed', words);
  }
  if (parsed.reached === undefined) return ended('interrupted', 'pchar came to no end; the hops until then are kept.');
  return phase.exitCode === 0 && seen.outcome === 'completed' ? { outcome: 'completed' } : ended('tool-failed', words);
}

/** Raw sockets for the answers: only root may open them. */
function refuses(_spec: HopsSpec, role: End, host: ProbeHost): Ending | undefined {
  if (role === 'far') return undefined;
  if (host.tools.pchar === undefined)
    return ended('tool-missing', `pchar is missing on the near host; install the package ${pchar.package}.`);
  if (host.root === true) return undefined;
  return ended('parameter-unsupported', 'pchar needs root on the near host: it opens raw sockets.');
}

const timeoutMs = ({ maxDurationS }: HopsSpec): number => maxDurationS * 1000;

export const hopsByPchar = defineAbility(hops, {
  tool: 'pchar',
  refuses,
  near: (spec, _host, input) => [
    {
      name: 'pchar',
      tool: 'pchar',
      argv: pcharArgv(spec, input),
      timeoutMs: timeoutMs(spec),
      // Out of time is no failure: the hops until then are an answer.
      optional: true,
    },
  ],
  read: readPchar,
  longestDurationMs: (spec) => timeoutMs(spec) + 5_000,
});

export { pchar } from './version.js';
