import type { SocketSample } from '@plumbline/model';
import type { PhaseOutput, SocketFilter } from '../../ability.js';
import { type ThroughputSpec, waysOf } from '../../measurements/throughput/index.js';
import { optionOf } from './argv.js';

/** Streams are connected one after the other, a round trip each, before the test begins (src/iperf_client_api.c). */
const STREAM_CONNECT_MS = 500;
/** What connecting the streams after the first may take. */
export const moreStreamsMs = (spec: ThroughputSpec): number => (spec.streams * waysOf(spec) - 1) * STREAM_CONNECT_MS;

/**
 * Each stream takes the next port (src/iperf_client_api.c, iperf_create_streams, since 3.1); of --bidir first those that go
 * forward, then those in reverse.
 */
export function localPortsOf(spec: ThroughputSpec, first: number): SocketFilter {
  const count = spec.streams * waysOf(spec);
  return count === 1 ? { localPort: first } : { localPort: first, lastLocalPort: first + count - 1 };
}

/** Which stream a sampled socket is, from 1 on; undefined: none of them, the control socket say. */
export function streamOf(sample: SocketSample, phases: readonly PhaseOutput[]): number | undefined {
  const client = phases.find((phase) => phase.end === 'near' && phase.name === 'test');
  if (!client) return undefined;
  const first = Number(optionOf(client.argv, '--cport') ?? Number.NaN);
  const count = Number(optionOf(client.argv, '-P') ?? 1) * (client.argv.includes('--bidir') ? 2 : 1);
  const stream = (sample.end === 'near' ? sample.localPort : sample.peerPort) - first + 1;
  return stream >= 1 && stream <= count ? stream : undefined;
}

/** Data sockets are those from the client's --cport on; the control socket has another local port. */
export const isDataSocket = (sample: SocketSample, phases: readonly PhaseOutput[]): boolean =>
  streamOf(sample, phases) !== undefined;
