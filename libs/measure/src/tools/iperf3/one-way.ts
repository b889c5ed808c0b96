import type { OneWaySpec } from '../../measurements/throughput/index.js';
import type { Iperf3Document } from './document.js';

/**
 * What a document of --bidir says of one of its directions, in the form of a test of that direction alone. "sum_sent" is then
 * client to server and "sum_sent_bidir_reverse" server to client, in the client's and in the server's document alike
 * (src/iperf_api.c, iperf_print_results); streams that go forward come first (iperf_create_streams).
 */
export function oneWayOf(document: Iperf3Document, { direction, streams }: OneWaySpec): Iperf3Document {
  const reverse = direction === 'reverse';
  const own = <T>(list: readonly T[] | null | undefined): T[] | undefined =>
    list?.slice(reverse ? streams : 0, reverse ? 2 * streams : streams);
  const { start, intervals, end } = document;
  return {
    ...document,
    start: start && {
      ...start,
      connected: own(start.connected),
      test_start: start.test_start && { ...start.test_start, reverse: reverse ? 1 : 0, bidir: 0 },
    },
    intervals: intervals?.map((interval) => ({
      streams: own(interval.streams),
      sum: reverse ? interval.sum_bidir_reverse : interval.sum,
    })),
    end: end && {
      ...end,
      streams: own(end.streams),
      sum_sent: reverse ? end.sum_sent_bidir_reverse : end.sum_sent,
      sum_received: reverse ? end.sum_received_bidir_reverse : end.sum_received,
      sum_sent_bidir_reverse: undefined,
      // They name the client's and the server's; which of them sends is the direction's.
      sender_tcp_congestion: reverse ? end.receiver_tcp_congestion : end.sender_tcp_congestion,
      receiver_tcp_congestion: reverse ? end.sender_tcp_congestion : end.receiver_tcp_congestion,
    },
  };
}
