import { type Ending, ended } from '@plumbline/model';
import type { PhaseOutput } from '../../ability.js';
import type { UdpLoadResult, UdpLoadSpec } from '../../measurements/udp-load/index.js';
import { classify } from './classify.js';
import { type DocumentRead, type Iperf3Document, shortened } from './document.js';
import { errorText } from './result.js';
import { overflows } from './totals.js';
import type { UdpDocument } from './udp-document.js';

/** Less of the asked time than this is no whole load. */
const SHORTEST_SHARE = 0.8;

export interface UdpEvidence {
  readonly seen: Ending;
  readonly client: PhaseOutput | undefined;
  readonly read: DocumentRead | undefined;
  readonly udp: UdpDocument | undefined;
  readonly far: Iperf3Document | undefined;
  readonly farUdp: UdpDocument | undefined;
  readonly result: UdpLoadResult | undefined;
}

/** As for TCP: first what the probes saw, then what iperf3 said, and only with nothing against it that it completed. */
export function udpEndingOf(spec: UdpLoadSpec, { seen, client, read, udp, far, farUdp, result }: UdpEvidence): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!client || !read) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  const measured = (result?.received?.bytes ?? 0) > 0 || (result?.intervals ?? []).some(({ bytes }) => bytes > 0);
  const words = firstLine(client.stderr);
  if ('problem' in read) return words === undefined ? ended(read.problem) : classifyUdp(words, measured, spec);
  const said = errorText(read.document);
  if (said !== undefined) return classifyUdp(said, measured, spec);
  if (client.signal !== null) return ended('tool-killed', `iperf3 was ended by ${client.signal}.`);
  if (client.exitCode !== 0 || seen.outcome !== 'completed')
    return ended('tool-failed', words ?? `iperf3 ended with exit code ${client.exitCode}.`);
  const other = mismatch(spec, udp);
  if (other) return ended('output-unreadable', `iperf3 tells of another test: ${other}.`);
  const [counter] = [
    ...overflows(read.document),
    ...overflows(udp),
    ...overflows(far, 'server'),
    ...overflows(farUdp, 'server'),
  ];
  if (counter !== undefined) return ended('counter-overflow', `iperf3's ${counter} is 2^53 or more.`);
  if (!result?.sent) return ended('output-empty', "iperf3's JSON holds no result.");
  if (!result.received) return ended('receiver-totals-missing');
  if (result.sent.durationS < SHORTEST_SHARE * spec.durationS)
    return ended('interrupted', `Only ${result.sent.durationS.toFixed(1)} s of ${spec.durationS} s were sent.`);
  return { outcome: 'completed' };
}

/** Two of iperf3's sentences mean something else with UDP: the rest is as for TCP. */
function classifyUdp(message: string, measured: boolean, spec: UdpLoadSpec): Ending {
  const words = message.toLowerCase();
  if (words.includes('message too long'))
    return ended(
      'tool-failed',
      `Datagrams of ${spec.payloadBytes} payload bytes do not fit the path's MTU without being fragmented; iperf3: ${message.trim()}`,
    );
  // The datagrams that open a stream got no answer within 30 s, while the control connection stood (src/iperf_udp.c).
  if (!measured && /unable to (read from|write to|connect) stream/.test(words))
    return ended(
      'connection-timed-out',
      `UDP does not get through although TCP to the same port does; iperf3: ${message.trim()}`,
    );
  return classify(message, { measured, windowAsked: false });
}

function mismatch(spec: UdpLoadSpec, udp: UdpDocument | undefined): string | undefined {
  const test = udp?.start?.test_start;
  const differs = <T>(name: string, said: T | null | undefined, asked: T): string | undefined =>
    said !== undefined && said !== null && said !== asked ? `${name} is ${said}, not ${asked}` : undefined;
  return (
    differs('protocol', test?.protocol, 'UDP') ??
    differs('num_streams', test?.num_streams, spec.streams) ??
    differs('blksize', test?.blksize, spec.payloadBytes) ??
    differs('duration', test?.duration, spec.durationS) ??
    differs('reverse', test?.reverse, spec.direction === 'reverse' ? 1 : 0)
  );
}

function firstLine(stderr: string): string | undefined {
  const line = stderr.split('\n').find((text) => text.trim() !== '' && !/^warning/i.test(text.trim()));
  return line === undefined ? undefined : shortened(line.replace(/^iperf3: /, ''));
}
