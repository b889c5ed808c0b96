export interface Ranking {
  /** Twice the midrank of each value, in the order given: a whole number also for ties. */
  doubled: number[];
  /** How many values share each rank, where more than one does. */
  ties: number[];
}

/** Ranks from 1, equal values sharing the mean of theirs. */
export function rank(values: readonly number[]): Ranking {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const doubled = new Array<number>(values.length).fill(0);
  const ties: number[] = [];
  // Ends: every round takes at least one value.
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && order[end]?.value === order[start]?.value) end++;
    // Ranks start+1 to end: their mean, doubled.
    for (const { index } of order.slice(start, end)) doubled[index] = start + 1 + end;
    if (end - start > 1) ties.push(end - start);
    start = end;
  }
  return { doubled, ties };
}

/** Sum of t^3 - t over the ties: what they take from the variance of rank statistics. */
export const tieTerm = (ties: readonly number[]): number => ties.reduce((sum, t) => sum + t ** 3 - t, 0);
