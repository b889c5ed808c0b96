import { provenCapacityBps } from '../capacity.js';
import type { HostFacts } from '../facts.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { ratioOf } from '../numbers.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow, isSlowReader, receiveWindowLimit } from '../window-limits.js';

/** A program with one thread is full here; the rest is the kernel's and the clock's. */
const CORE_FULL = 0.9;
/** The kernel calls a bulk flow app-limited this often only when its program does not get to write. */
const MOSTLY = 0.5;
/** A group that is held back for this share of the test is what limits it. */
const THROTTLED = 0.25;
/** A window-like application keeps a steady amount in flight; a starved one does not. */
const UNSTEADY = 0.75;

/**
 * A host cannot keep up. Evidence: the tool's CPU time is a whole core at either end; the sender's kernel calls the flow
 * app-limited although a bulk tool always has data (tcpi_delivery_rate_app_limited, net/ipv4/tcp_rate.c); the kernel held the
 * probe's group back by its quota; or the receiver's window keeps closing because nobody reads. Not when the flow reaches what the path carries.
 */
export const hostCpuLimited: Rule = {
  code: 'host-cpu-limited',
  owner: 'our-host',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const { sender } = flow;
    const steady = ratioOf(sender?.inFlightMeanBytes, sender?.inFlightMaxBytes);
    const capacity = provenCapacityBps(leg, view);
    const numbers = {
      measuredBps: view.measuredBps,
      senderCpuRatio: flow.senderCpuRatio,
      receiverCpuRatio: flow.receiverCpuRatio,
      appLimitedRatio: sender?.appLimitedRatio,
      busyRatio: ratioOf(sender?.busyMs, (flow.durationS ?? Number.NaN) * 1000 * flow.streams),
      senderThrottledRatio: throttledOf(flow.hosts.sender),
      receiverThrottledRatio: throttledOf(flow.hosts.receiver),
      senderLoadRatio: loadOf(flow.hosts.sender),
      receiverLoadRatio: loadOf(flow.hosts.receiver),
      inFlightSteadiness: steady,
      sndWndMeanBytes: sender?.sndWndMeanBytes,
    };
    if (view.measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (capacity !== undefined && view.measuredBps >= capacity * 0.9) return no(numbers);
    const fill = receiveWindowLimit(view).numbers.fillRatio;
    if (isSlowReader(view, fill)) return yes(numbers);
    if (isHeldByWindow(view)) return no(numbers);
    const full = Math.max(flow.senderCpuRatio ?? 0, flow.receiverCpuRatio ?? 0) >= CORE_FULL;
    const starved =
      flow.asked.rateBps === undefined && (sender?.appLimitedRatio ?? 0) >= MOSTLY && (steady ?? 1) < UNSTEADY;
    const throttled = Math.max(numbers.senderThrottledRatio ?? 0, numbers.receiverThrottledRatio ?? 0) >= THROTTLED;
    if (full || starved || throttled) return yes(numbers);
    if (flow.senderCpuRatio === undefined && sender?.appLimitedRatio === undefined)
      return cannotTell(
        numbers,
        ['CPU time of the tool', 'app-limited flag of the socket'],
        ['repeat the test with ss on the sending host'],
      );
    return no(numbers);
  },
  prose: ({ evidence: e }) =>
    (e.senderCpuRatio ?? 0) >= CORE_FULL || (e.receiverCpuRatio ?? 0) >= CORE_FULL
      ? `The test program fills a core (${percent(Math.max(e.senderCpuRatio ?? 0, e.receiverCpuRatio ?? 0))}) at ${mbps(e.measuredBps)}: the host is the limit, not the path. Use a faster or less busy host, or a tool with a thread for each stream (iperf3 3.16 or newer).`
      : `The host does not let the test program run often enough: ${e.appLimitedRatio !== undefined && e.appLimitedRatio >= MOSTLY ? `its sender had nothing to send in ${percent(e.appLimitedRatio)} of the readings` : e.senderThrottledRatio === undefined && e.receiverThrottledRatio === undefined ? 'its receiver does not read fast enough' : `its group was held back for ${percent(Math.max(e.senderThrottledRatio ?? 0, e.receiverThrottledRatio ?? 0))} of the time`}. Free the host's CPU, or lift its cgroup's limit, and repeat.`,
};

/** For how much of the time between the two readings the kernel held the probe's group back (Documentation/scheduler/sched-bwc.rst). */
function throttledOf(host: HostFacts | undefined): number | undefined {
  const { moved } = host ?? {};
  const throttledMs = moved?.cpu?.['group.throttledMs'];
  if (throttledMs === undefined || !moved?.since || !moved.until) return undefined;
  return ratioOf(throttledMs, Date.parse(moved.until) - Date.parse(moved.since));
}

const loadOf = (
  host: { readonly snapshot?: { readonly load1?: number; readonly cpuCount?: number } } | undefined,
): number | undefined => ratioOf(host?.snapshot?.load1, host?.snapshot?.cpuCount);
