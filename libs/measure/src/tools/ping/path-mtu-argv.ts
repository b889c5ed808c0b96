import type { NearInput, Phase, ProbeHost } from '../../ability.js';
import type { PathMtuSpec } from '../../measurements/path-mtu/index.js';
import { atLeast } from '../../tool.js';
import { pingCan } from './version.js';

const INTERVAL_S = 0.2;
const WAIT_S = 1;
/** Sizes start this long after each other, so that they are no burst. */
const STAGGER_MS = 20;
const GRACE_MS = 3_000;
/** tracepath asks each hop three times, a second apart; beyond this it is not waited for. */
const TRACEPATH_TIMEOUT_MS = 12_000;
const TRACEPATH_HOPS = 30;
/** A path on which all goes well is walked before the pings end; what takes longer would only hold the attempt up. */
const TRACEPATH_GRACE_MS = 2_000;

export const phaseOf = (sizeBytes: number): string => `size-${sizeBytes}`;

/** IP and ICMP headers: what a whole packet has beside ping's `-s` (RFC 792, RFC 4443). */
const headersBytes = (address: string): number => (address.includes(':') ? 48 : 28);

const sizeTimeoutMs = ({ echoes }: PathMtuSpec): number => Math.ceil(echoes * INTERVAL_S * 1200 + WAIT_S * 2000 + 3000);

/** Also when the sizes run one after the other, where nothing can run beside something. */
export const pathMtuDurationMs = (spec: PathMtuSpec): number =>
  spec.sizesBytes.length * sizeTimeoutMs(spec) + TRACEPATH_TIMEOUT_MS + 5_000;

/**
 * One ping of each size, never fragmented, all at the same time; tracepath beside them where the host has it. Since
 * 20231222 iputils can leave aside what the kernel remembers of the path (`-M probe`), so that each size is asked anew.
 */
export function pathMtuPhases(spec: PathMtuSpec, host: ProbeHost, input: NearInput): readonly Phase[] {
  const { flavour, version } = pingCan(host);
  const mode = flavour === 'iputils' && atLeast(version, '20231222') ? 'probe' : 'do';
  const smallest = Math.min(...spec.sizesBytes);
  const sizes = spec.sizesBytes.toSorted((a, b) => b - a);
  const pings = sizes.map(
    (sizeBytes): Phase => ({
      name: phaseOf(sizeBytes),
      tool: 'ping',
      argv: [
        ...['ping', '-n', '-M', mode, '-c', String(spec.echoes), '-i', String(INTERVAL_S), '-W', String(WAIT_S)],
        ...['-s', String(sizeBytes - headersBytes(input.address)), '-I', input.address, input.peerAddress],
      ],
      timeoutMs: sizeTimeoutMs(spec),
      // ping ends with 1 where nothing came back: a size that does not get through is no failure.
      optional: true,
      ...(sizeBytes === smallest ? {} : { beside: { leadMs: STAGGER_MS, graceMs: GRACE_MS } }),
    }),
  );
  // The sizes first: once tracepath has made a hop speak, the kernel answers in its place.
  return [...pings.slice(0, -1), ...tracepathPhase(host, input), ...pings.slice(-1)];
}

/** Optional in every sense: it cannot be bound to an address. */
function tracepathPhase(host: ProbeHost, { peerAddress }: NearInput): readonly Phase[] {
  if (host.tools.tracepath === undefined) return [];
  return [
    {
      name: 'tracepath',
      tool: 'tracepath',
      argv: ['tracepath', '-n', '-m', String(TRACEPATH_HOPS), peerAddress],
      timeoutMs: TRACEPATH_TIMEOUT_MS,
      optional: true,
      beside: { leadMs: 0, graceMs: TRACEPATH_GRACE_MS },
    },
  ];
}
