/** Counts of values in bins of one width: bin k holds values from (k - 1) * width up to k * width. */
export interface Histogram {
  readonly binMs: number;
  readonly bins: readonly { readonly bin: number; readonly count: number }[];
  /** Values above the last bin. */
  readonly above: number;
}

export const histogramCount = ({ bins, above }: Histogram): number =>
  bins.reduce((sum, { count }) => sum + count, above);

/**
 * Percentile by nearest rank, as the upper edge of the bin it falls in: the true value is at most one bin smaller.
 * Undefined: there are no values, or it falls above the last bin, where nobody knows how large it is.
 */
export function histogramPercentileMs(histogram: Histogram, percent: number): number | undefined {
  const total = histogramCount(histogram);
  if (total === 0) return undefined;
  // In this order: Math.ceil(0.07 * 100) is 8.
  const rank = Math.max(1, Math.ceil((percent * total) / 100));
  let seen = 0;
  for (const { bin, count } of histogram.bins.toSorted((a, b) => a.bin - b.bin)) {
    seen += count;
    // Nine digits: 4549 * 0.1 is 454.90000000000003.
    if (seen >= rank) return Number((bin * histogram.binMs).toPrecision(9));
  }
  return undefined;
}
