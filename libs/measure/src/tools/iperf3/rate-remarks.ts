import { payloadRateBps, type ThroughputResult, type ThroughputSpec } from '../../measurements/throughput/index.js';

/** Less than this above what the rate carries is the grain of the receiver's clock. */
const GRAIN = 1.005;
/** More than this above it is no question of counting: the path carries more than was promised for it. */
const DOUBTFUL = 1.05;
const TIMESTAMP_BYTES = 12;
const IP_AND_TCP_BYTES = { 4: 40, 6: 60 } as const;

/**
 * A throughput a little above what the path's committed rate carries in full segments. The rate is a promise and no known
 * bound, so this is a remark: either the path carries more, or the receiver's time was counted short, as on a busy host.
 */
export function rateRemarks({ committed }: Pick<ThroughputSpec, 'committed'>, result: ThroughputResult): string[] {
  const got = result.totals.receiver?.rateBps;
  if (!committed || got === undefined) return [];
  const ipVersion = result.connection?.localAddress.includes(':') ? 6 : 4;
  const timestamps = result.mssBytes === committed.mtuBytes - IP_AND_TCP_BYTES[ipVersion] - TIMESTAMP_BYTES;
  const most = payloadRateBps(committed.rateBps, committed.layer, committed.mtuBytes, { ipVersion, timestamps });
  if (most === undefined || got <= most * GRAIN || got > most * DOUBTFUL) return [];
  const [gotM, mostM] = [got, most].map((bps) => (bps / 1e6).toFixed(2));
  return [
    `throughput ${gotM} Mbit/s is above the ${mostM} Mbit/s that the committed rate carries: either the path carries more than was promised, or the receiver counted its time short (a busy host)`,
  ];
}
