import type { HostSnapshot, SettingChange } from '@plumbline/model';
import { neededWindowBytes } from '../theory/bandwidth-delay.js';
import { isAtLeast, kernelOf } from './need.js';

/**
 * A loss-based flow falls to 0.7 of its window at a loss (RFC 9438, section 4.6): with one and a half times the BDP the path stays
 * full all the same. More only makes queues longer.
 */
const HEADROOM = 1.5;
/** Buffers are proposed in whole steps of this. */
const STEP_BYTES = 65_536;
/** From here on a collapse of the receive queue costs more than a larger window gains (Cloudflare, "When TCP sockets refuse to die"). */
export const HUGE_BYTES = 64 * 1024 * 1024;

/** The kernel keeps the three values as signed 32-bit numbers. */
export const LARGEST_BYTES = 2 ** 31 - STEP_BYTES;
export type BufferKey = 'net.ipv4.tcp_rmem' | 'net.ipv4.tcp_wmem';

/** What the buffers have to do: a rate of TCP payload over a round trip. */
export interface Target {
  readonly rateBps: number;
  readonly rttMs: number;
  readonly bdpBytes: number;
}

/**
 * Which part of a receive buffer Linux offers as window. With tcp_adv_win_scale 1, the default until 6.6, half of it, whatever the
 * segments really take; from 6.6 on by the measured ratio, at most 170 of 256 (net/ipv4/tcp.c, tcp_set_scaling_ratio; ip-sysctl.rst).
 * @returns undefined when the kernel is not known
 */
export function windowShareOf(snapshot: HostSnapshot): number | undefined {
  const kernel = kernelOf(snapshot);
  if (!kernel) return undefined;
  if (isAtLeast(kernel, [6, 6])) return 170 / 256;
  const scale = Number(snapshot.sysctls['net.ipv4.tcp_adv_win_scale'] ?? 1);
  if (!Number.isInteger(scale)) return 1 / 2;
  return scale > 0 ? 1 - 1 / 2 ** scale : 1 / 2 ** -scale;
}

const wholeSteps = (bytes: number): number => Math.min(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES, LARGEST_BYTES);

/**
 * What the largest buffer of now keeps in flight: of a receive buffer its window; of a send buffer two thirds, for only then the
 * kernel wakes the writer (include/net/sock.h, sk_stream_min_wspace). @returns undefined when kernel or buffer is not known
 */
export function usableBytes(key: BufferKey, snapshot: HostSnapshot): number | undefined {
  if (key === 'net.ipv4.tcp_wmem') return snapshot.tcpWmem && (snapshot.tcpWmem.maxBytes * 2) / 3;
  const share = windowShareOf(snapshot);
  return snapshot.tcpRmem && share !== undefined ? snapshot.tcpRmem.maxBytes * share : undefined;
}

/** The receive buffer whose window keeps the path full. @returns undefined when the kernel is not known */
export function receiveBufferBytes({ rateBps, rttMs }: Target, snapshot: HostSnapshot): number | undefined {
  const share = windowShareOf(snapshot);
  return share === undefined ? undefined : wholeSteps((neededWindowBytes(rateBps, rttMs) * HEADROOM) / share);
}

/** The send buffer: twice the window, as the kernel itself would have it (net/ipv4/tcp_input.c, tcp_sndbuf_expand). */
export const sendBufferBytes = ({ rateBps, rttMs }: Target): number =>
  wholeSteps(neededWindowBytes(rateBps, rttMs) * HEADROOM * 2);

/** Raises the maximum of `tcp_rmem` or `tcp_wmem`; minimum and default stay. @returns undefined when it is large enough, or unknown */
export function raisedMaximum(
  key: BufferKey,
  snapshot: HostSnapshot,
  neededBytes: number,
  target: Target,
): SettingChange | undefined {
  const triple = key === 'net.ipv4.tcp_rmem' ? snapshot.tcpRmem : snapshot.tcpWmem;
  if (!triple || triple.maxBytes >= neededBytes) return undefined;
  const { minBytes, defaultBytes, maxBytes } = triple;
  const role = key === 'net.ipv4.tcp_rmem' ? 'window it offers' : 'data it may keep in flight';
  return {
    key,
    current: `${minBytes} ${defaultBytes} ${maxBytes}`,
    proposed: `${minBytes} ${defaultBytes} ${neededBytes}`,
    why: `${Math.round(target.rateBps / 1e5) / 10} Mbit/s over ${Math.round(target.rttMs * 10) / 10} ms have ${Math.round(target.bdpBytes / 1000)} kB in flight; a maximum of ${Math.round(maxBytes / 1000)} kB keeps the ${role} below that`,
    scope: 'namespace',
    costBytes: neededBytes,
  };
}
