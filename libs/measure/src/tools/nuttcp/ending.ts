import { type Ending, ended, type Reason } from '@plumbline/model';
import type { PhaseOutput } from '../../ability.js';
import type { ThroughputSpec } from '../../measurements/throughput/index.js';
import type { NuttcpOutput } from './parse.js';

/** Less of the measured time than this is no whole test. */
const SHORTEST_SHARE = 0.8;

/** What nuttcp's complaints mean, first match wins (strerror(3) at their end; nuttcp.c, err and errmes). */
const COMPLAINTS: readonly (readonly [RegExp, Reason])[] = [
  [/connection refused/i, 'connection-refused'],
  [/no route to host|network is unreachable|host is unreachable|network is down/i, 'no-route'],
  [/cannot assign requested address/i, 'local-address-unavailable'],
  [/address already in use/i, 'port-in-use'],
  [/timed out/i, 'connection-timed-out'],
  [/connection reset|broken pipe|server .*(died|gone)/i, 'connection-reset'],
];

/** nuttcp's own words: `nuttcp-t: v6.1.2: Error: connect: No route to host`. */
export const complaintOf = ({ stdout, stderr }: Pick<PhaseOutput, 'stdout' | 'stderr'>): string | undefined =>
  `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /error|failed|refused|unreachable|not supported|invalid/i.test(line))
    ?.slice(0, 200);

export function endingOf(
  spec: ThroughputSpec,
  seen: Ending,
  client: PhaseOutput | undefined,
  parsed: NuttcpOutput | undefined,
): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!client || !parsed) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  const complaint = complaintOf(client);
  const measured = parsed.intervals.some(({ bytes }) => bytes > 0);
  // Whatever it printed then is the transmitter's count (pscheduler issue 217).
  if (parsed.classicMode) return classify(complaint ?? 'it went on without its server', false);
  if (client.signal !== null)
    return ended(measured ? 'interrupted' : 'tool-killed', `nuttcp was ended by ${client.signal}.`);
  if (complaint !== undefined) return classify(complaint, measured);
  if (client.exitCode !== 0 || seen.outcome !== 'completed')
    return ended('tool-failed', `nuttcp ended with exit code ${client.exitCode}.`);
  if (!parsed.total)
    return measured
      ? ended('receiver-totals-missing', 'nuttcp printed no total.')
      : ended(client.stdout.trim() === '' ? 'output-empty' : 'output-unreadable');
  if (parsed.total.durationS < SHORTEST_SHARE * spec.durationS)
    return ended('interrupted', `Only ${parsed.total.durationS} s of ${spec.durationS} s were measured.`);
  return { outcome: 'completed' };
}

function classify(complaint: string, measured: boolean): Ending {
  const reason = COMPLAINTS.find(([words]) => words.test(complaint))?.[1] ?? 'tool-failed';
  const said = `nuttcp: ${complaint}`;
  return measured ? ended('control-connection-lost', said) : ended(reason, said);
}
