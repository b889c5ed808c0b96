import { BASELINE_PHASE, type NearInput, type Phase, type ProbeHost } from '../../ability.js';
import type { RttSpec } from '../../measurements/rtt/index.js';
import { pingCan } from './version.js';

/** ping(8) -W: seconds to wait for replies once all requests are out; when some came, twice the longest RTT is enough. */
const LINGER_S = 2;

interface Echoes {
  readonly count: number;
  readonly intervalS: number;
  readonly payloadBytes: number;
  readonly lingerS: number;
}

/** Same options for iputils and BusyBox. The process room sets LC_ALL=C, so that numbers have points and words are English. */
function pingArgv(echoes: Echoes, input: Pick<NearInput, 'address' | 'peerAddress'>): string[] {
  return [
    ...['ping', '-n', '-c', String(echoes.count), '-i', String(echoes.intervalS), '-W', String(echoes.lingerS)],
    ...['-s', String(echoes.payloadBytes), '-I', input.address, input.peerAddress],
  ];
}

export function rttPhase(spec: RttSpec, input: NearInput): Phase {
  const echoes = { ...spec, count: spec.count + spec.omitCount, lingerS: LINGER_S };
  return { name: 'ping', tool: 'ping', argv: pingArgv(echoes, input), timeoutMs: rttDurationMs(spec) };
}

/** The longest that ping may take: all intervals (a busy host stretches them), the wait for the last reply, and a margin. */
export const rttDurationMs = (spec: RttSpec): number =>
  Math.ceil((spec.count + spec.omitCount) * spec.intervalS * 1200 + LINGER_S * 2000 + 3000);

/** The longest that the baseline of another measurement may take. */
export const BASELINE_TIMEOUT_MS = 4_000;

/**
 * A few echoes before a load, so that its effect on the RTT has a denominator from the same leg. Short on purpose: about
 * 8 ms and one RTT (0.4 s where ping refuses short intervals). Absent: no ping on this host.
 */
export function baselinePhase(host: ProbeHost, input: NearInput): Phase | undefined {
  if (host.tools.ping === undefined) return undefined;
  const short = pingCan(host).smallestIntervalS <= 0.002;
  const echoes = { count: short ? 5 : 3, intervalS: short ? 0.002 : 0.2, payloadBytes: 56, lingerS: 1 };
  return {
    name: BASELINE_PHASE,
    tool: 'ping',
    argv: pingArgv(echoes, input),
    timeoutMs: BASELINE_TIMEOUT_MS,
    optional: true,
  };
}
