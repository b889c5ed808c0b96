import type { HostSnapshot } from '@plumbline/model';
import type { FlowFacts } from '../diagnosis/facts.js';
import type { Target } from './buffers.js';
import { currentOf, type End, type Need, needOf } from './need.js';

export function scalingNeed(end: End, snapshot: HostSnapshot | undefined): Need {
  const key = 'net.ipv4.tcp_window_scaling';
  const current = currentOf(snapshot, key);
  if (current === undefined) return needOf(end, { missing: [`${key} of this host`] });
  if (current !== '0') return needOf(end, {});
  const why = 'without the window scale option no window is larger than 65,535 bytes (RFC 7323)';
  return needOf(end, { changes: [{ key, current, proposed: '1', why, scope: 'namespace' }] });
}

/** Only for a program that sets its buffers itself: the kernel cuts what it asks for to this. */
export function ceilingNeed(
  end: End,
  key: 'net.core.rmem_max' | 'net.core.wmem_max',
  snapshot: HostSnapshot | undefined,
  flow: FlowFacts,
  target: Target | undefined,
): Need {
  const current = currentOf(snapshot, key);
  const asked = flow.asked.windowBytes;
  if (asked === undefined || !target) return needOf(end, {});
  if (current === undefined || !/^\d+$/.test(current))
    return needOf(end, { missing: [`${key} of this host (read it on the host, outside any container)`] });
  if (asked <= Number(current) || asked > target.bdpBytes * 4) return needOf(end, {});
  const why = `the application asks for ${Math.round(asked / 1000)} kB and gets no more than this`;
  return needOf(end, {
    changes: [{ key, current, proposed: String(asked), why, scope: 'host', costBytes: asked * 2 }],
    cautions: [
      'It matters only to programs that set SO_RCVBUF or SO_SNDBUF; it is shared by all namespaces of the host.',
    ],
  });
}

export function probingNeed(end: End, snapshot: HostSnapshot | undefined): Need {
  const key = 'net.ipv4.tcp_mtu_probing';
  const current = currentOf(snapshot, key);
  if (current === undefined) return needOf(end, { missing: [`${key} of this host`] });
  if (current !== '0') return needOf(end, {});
  const why =
    'large packets vanish without an ICMP error; TCP then finds a size that gets through by itself (RFC 4821)';
  return needOf(end, { changes: [{ key, current, proposed: '1', why, scope: 'namespace' }] });
}
