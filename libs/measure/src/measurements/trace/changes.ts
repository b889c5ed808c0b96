import type { HopChange } from '@plumbline/model';
import { lengthOf, type MergedHop, mergedWay } from './merged-way.js';
import type { TraceResult } from './result.js';

/** A changed host costs less than one that vanished beside one that appeared, and more than either. */
const CHANGED = 1.5;
const MOVED = 1;

/** What of a way is not as it was, and how many hops could be compared: both times somebody answered there. */
export interface WayComparison {
  readonly hops: readonly HopChange[];
  readonly compared: number;
}

/** A hop of each way that stand beside each other; undefined: the other way has none there. */
type Pair = readonly [before: MergedHop | undefined, after: MergedHop | undefined];

/**
 * Compares two ways hop by hop, with as few differences as explain them, so that one hop more does not make all later ones
 * differ. Where several flows show several hosts, sets are compared: of flows whose ports stay the same the whole sets, of
 * others only whether they share a host, as chance decides which ones they show. What did not answer fits anything, and behind
 * the last answer of a trace that did not reach the far end nothing is known.
 */
export function compareWays(before: TraceResult, after: TraceResult): WayComparison {
  const pinned = before.pinned && after.pinned;
  const pairs = pairsOf(mergedWay(before), mergedWay(after), {
    before: lengthOf(before) !== undefined,
    after: lengthOf(after) !== undefined,
  });
  const both = pairs.filter(([was, is]) => known(was) && known(is));
  return { hops: pairs.flatMap((pair) => changeOf(pair, pinned)), compared: both.length };
}

const known = (hop: MergedHop | undefined): hop is MergedHop => hop !== undefined && hop.hosts.length > 0;

function changeOf([was, is]: Pair, pinned: boolean): HopChange[] {
  const [before, after] = [[...(was?.hosts ?? [])], [...(is?.hosts ?? [])]];
  if (!was) return is && known(is) ? [{ what: 'appeared', hop: is.hop, before, after }] : [];
  if (!is) return known(was) ? [{ what: 'vanished', hop: was.hop, before, after }] : [];
  if (!known(was) || !known(is) || (!pinned && share(was, is))) return [];
  const gone = !is.silent && before.some((host) => !after.includes(host));
  const come = !was.silent && after.some((host) => !before.includes(host));
  return gone || come ? [{ what: 'changed', hop: is.hop, before, after }] : [];
}

const share = (a: MergedHop, b: MergedHop): boolean => a.hosts.some((host) => b.hosts.includes(host));

/** What it costs to take two hops for the same. */
const matchCost = (a: MergedHop, b: MergedHop): number => (!known(a) || !known(b) || share(a, b) ? 0 : CHANGED);
/** What a hop costs that only one of the ways has: silence may be a far end that answered one hop too late. */
const ownCost = (hop: MergedHop): number => (known(hop) ? MOVED : 0);

/** The cheapest alignment of two ways (edit distance, Wagner and Fischer 1974). A way has at most 64 hops. */
function pairsOf(
  before: readonly MergedHop[],
  after: readonly MergedHop[],
  reached: { readonly before: boolean; readonly after: boolean },
): Pair[] {
  const costs = costsOf(before, after);
  const at = (i: number, j: number): number => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  let [i, j] = endOf(before.length, after.length, at, reached);
  const pairs: Pair[] = [];
  // Ends: each turn takes a hop off one of the ways, or off both.
  while (i > 0 || j > 0) {
    const [was, is] = [before[i - 1], after[j - 1]];
    if (was && is && at(i, j) === at(i - 1, j - 1) + matchCost(was, is)) pairs.push([before[--i], after[--j]]);
    else if (is && at(i, j) === at(i, j - 1) + ownCost(is)) pairs.push([undefined, after[--j]]);
    else pairs.push([before[--i], undefined]);
  }
  return pairs.reverse();
}

/** Least cost of the first `i` hops of one way beside the first `j` of the other. */
function costsOf(before: readonly MergedHop[], after: readonly MergedHop[]): readonly (readonly number[])[] {
  const costs: number[][] = [[0]];
  for (let i = 0; i <= before.length; i += 1)
    for (let j = i === 0 ? 1 : 0; j <= after.length; j += 1) {
      const [was, is] = [before[i - 1], after[j - 1]];
      const at = (k: number, l: number): number => costs[k]?.[l] ?? Number.POSITIVE_INFINITY;
      const least = Math.min(
        was && is ? at(i - 1, j - 1) + matchCost(was, is) : Number.POSITIVE_INFINITY,
        was ? at(i - 1, j) + ownCost(was) : Number.POSITIVE_INFINITY,
        is ? at(i, j - 1) + ownCost(is) : Number.POSITIVE_INFINITY,
      );
      costs[i] = [...(costs[i] ?? []), least];
    }
  return costs;
}

/** How far both ways are compared: a way that did not reach the far end may go on unseen, as the other one does. */
function endOf(
  n: number,
  m: number,
  at: (i: number, j: number) => number,
  reached: { readonly before: boolean; readonly after: boolean },
): [number, number] {
  let best: [number, number] = [n, m];
  if (!reached.after) for (let i = n - 1; i >= 0; i -= 1) if (at(i, m) < at(...best)) best = [i, m];
  if (!reached.before) for (let j = m - 1; j >= 0; j -= 1) if (at(n, j) < at(...best)) best = [n, j];
  return best;
}
