import type { ThroughputSpec } from '../../measurements/throughput/index.js';

type Asked = Partial<Pick<ThroughputSpec, 'direction' | 'omitS' | 'congestionControl' | 'windowBytes' | 'streams'>>;

/** What no nuttcp can do of a transfer, whichever its version and host: the field, and a sentence with what to do. */
export function nuttcpCannot(spec: Asked): readonly { readonly field: keyof Asked; readonly why: string }[] {
  const { direction, omitS = 0, congestionControl, windowBytes = 0, streams = 1 } = spec;
  const found: readonly (readonly [boolean, keyof Asked, string])[] = [
    [direction === 'simultaneous', 'direction', 'runs one direction at a time'],
    [omitS > 0, 'omitS', 'cannot leave out the first seconds (omitS)'],
    [congestionControl !== undefined, 'congestionControl', 'cannot choose a congestion control'],
    [streams > 1, 'streams', 'is used for one stream only'],
    [windowBytes % 1024 !== 0, 'windowBytes', 'sets windows of whole KiB only'],
  ];
  return found.flatMap(([holds, field, text]) =>
    holds ? [{ field, why: `nuttcp ${text}; use iperf3 for that.` }] : [],
  );
}
