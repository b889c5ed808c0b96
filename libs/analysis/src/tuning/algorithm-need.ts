import type { HostSnapshot, SettingChange } from '@plumbline/model';
import type { FlowFacts } from '../diagnosis/facts.js';
import { forgotten } from './buffer-need.js';
import { currentOf, type End, isAtLeast, kernelOf, type Need, needOf } from './need.js';

const KEY = 'net.ipv4.tcp_congestion_control';

/** BBR at the sender, where random loss holds a loss-based algorithm down and the kernel has it. */
export function algorithmNeed(end: End, snapshot: HostSnapshot | undefined, flow: FlowFacts): Need {
  const current = currentOf(snapshot, KEY);
  if (!snapshot || current === undefined) return needOf(end, { missing: [`${KEY} of this host`] });
  if (current === 'bbr' || flow.congestionControl === 'bbr') return needOf(end, {});
  if (!snapshot.congestionControlsAvailable?.includes('bbr'))
    return needOf(end, { missing: ['whether the kernel has bbr (modprobe tcp_bbr, then measure again)'] });
  const why =
    'the path loses packets at random, and a loss-based algorithm slows down for each; bbr keeps the rate that it measures';
  const asked = flow.asked.congestionControl;
  return needOf(end, {
    changes: [{ key: KEY, current, proposed: 'bbr', why, scope: 'namespace' }, ...pacing(snapshot)],
    alsoApply: forgotten(snapshot),
    missing: kernelOf(snapshot) ? [] : ['the kernel version of this host: below 4.13 bbr needs the qdisc fq'],
    cautions: [
      'Congestion control and qdisc matter at the sender only.',
      'Connections of before are remembered: ip tcp_metrics flush all, before the next test.',
      ...(asked === undefined
        ? []
        : [`This test asked for ${asked} itself: repeat it without, to see what the host's own algorithm does.`]),
    ],
  });
}

export const willRunBbr = ({ changes }: Need): boolean => changes.some(({ key }) => key === KEY);

/** Until 4.13 bbr paces by the qdisc fq only; from then on TCP does it itself where there is no fq (net/ipv4/tcp_output.c). */
function pacing(snapshot: HostSnapshot): SettingChange[] {
  const key = 'net.core.default_qdisc';
  const [kernel, current] = [kernelOf(snapshot), currentOf(snapshot, key)];
  if (!kernel || isAtLeast(kernel, [4, 13]) || current === undefined || current === 'fq') return [];
  return [{ key, current, proposed: 'fq', why: 'below kernel 4.13 bbr needs fq to pace', scope: 'host' }];
}
