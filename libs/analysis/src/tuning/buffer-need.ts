import type { HostSnapshot } from '@plumbline/model';
import { formatBytes } from '../report/format.js';
import { MAX_WINDOW_BYTES } from '../theory/bandwidth-delay.js';
import {
  type BufferKey,
  HUGE_BYTES,
  LARGEST_BYTES,
  raisedMaximum,
  receiveBufferBytes,
  sendBufferBytes,
  type Target,
  usableBytes,
} from './buffers.js';
import { currentOf, type End, type Need, needOf } from './need.js';

/** `bound`: the flow was seen to wait for it. `below-product`: it would, as soon as the limit of now is gone. */
type When = 'bound' | 'below-product';

/** Raises the maximum of one end's buffer to what the path's product of rate and round trip warrants, never beyond. */
export function bufferNeed(
  end: End,
  key: BufferKey,
  snapshot: HostSnapshot | undefined,
  target: Target | undefined,
  when: When,
): Need {
  if (!target)
    return needOf(end, {
      missing: ['the rate that the path is to carry: give the path its committedRateBps, or run udp-step-up'],
    });
  const triple = key === 'net.ipv4.tcp_rmem' ? snapshot?.tcpRmem : snapshot?.tcpWmem;
  if (!snapshot || !triple) return needOf(end, { missing: [`${key} of this host`] });
  const bytes = key === 'net.ipv4.tcp_rmem' ? receiveBufferBytes(target, snapshot) : sendBufferBytes(target);
  const usable = usableBytes(key, snapshot);
  if (bytes === undefined || usable === undefined)
    return needOf(end, {
      missing: ['the kernel version of this host: which part of a buffer is window depends on it'],
    });
  const sizing = key === 'net.ipv4.tcp_rmem' ? selfSizing(end, snapshot) : needOf(end, {});
  if (when === 'below-product' && usable >= target.bdpBytes) return needOf(end, {});
  const change = raisedMaximum(key, snapshot, bytes, target);
  if (!change) return sizing;
  return needOf(end, {
    ...sizing,
    changes: [change, ...sizing.changes],
    alsoApply: forgotten(snapshot),
    cautions: [...sizing.cautions, ...cautionsOf(bytes, snapshot, target)],
  });
}

/** With tcp_moderate_rcvbuf 0 a receive buffer stays at its default: the maximum would change nothing (tcp(7)). */
function selfSizing(end: End, snapshot: HostSnapshot): Need {
  const key = 'net.ipv4.tcp_moderate_rcvbuf';
  const current = currentOf(snapshot, key);
  if (current !== '0') return needOf(end, {});
  const why = 'while this is 0 no receive buffer grows beyond its default, whatever its maximum is (tcp(7))';
  return needOf(end, { changes: [{ key, current, proposed: '1', why, scope: 'namespace' }] });
}

/** A threshold learnt while the path was worse holds a new connection down (B21); kernels that do not keep it show none. */
export const forgotten = (snapshot: HostSnapshot): string[] =>
  snapshot.cachedTcpMetrics?.ssthresh === undefined ? [] : ['ip tcp_metrics flush all'];

function cautionsOf(bytes: number, snapshot: HostSnapshot, target: Target): string[] {
  return [
    'Leave minimum and default of tcp_rmem and tcp_wmem as they are: each connection would pay for them.',
    'net.core.rmem_max and wmem_max do not limit the kernel’s own sizing of buffers: leave them.',
    'If more is lost and less arrives afterwards, a queue on the path is too small for the bursts: undo this and pace the sender.',
    memoryText(bytes, snapshot),
    ...(bytes > HUGE_BYTES
      ? [
          `Buffers of ${formatBytes(bytes)} may stall a host while it collapses its receive queue; watch TcpExt.TCPRcvCollapsed and net.ipv4.tcp_mem.`,
        ]
      : []),
    ...(target.bdpBytes > MAX_WINDOW_BYTES || bytes === LARGEST_BYTES
      ? ['No single connection can fill this path: TCP has no larger window (RFC 7323). Use several.']
      : []),
  ];
}

/** Beside tcp_mem, in pages: what all connections together may take before the kernel presses them, and at the most (tcp(7)). */
function memoryText(bytes: number, snapshot: HostSnapshot): string {
  const one = `One connection may take up to ${formatBytes(bytes)} in this direction, when it needs it`;
  const pages = currentOf(snapshot, 'net.ipv4.tcp_mem')?.split(/\s+/).map(Number);
  const [, pressure, most] = pages ?? [];
  if (pressure === undefined || most === undefined || !Number.isSafeInteger(pressure) || !Number.isSafeInteger(most))
    return `${one}. What all together may take is not known here: read net.ipv4.tcp_mem on the host, outside any container.`;
  // A page has 4096 bytes on x86; others have larger ones too.
  if (!/^(x86_64|i\d86)$/.test(snapshot.architecture ?? ''))
    return `${one}; all together at the most ${most} pages (net.ipv4.tcp_mem).`;
  const full = Math.floor((pressure * 4096) / bytes);
  return `${one}; all together at the most ${formatBytes(most * 4096)} (net.ipv4.tcp_mem), and ${full} full ones are enough for the kernel to cut buffers back.`;
}
