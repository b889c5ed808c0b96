/** How far and how fast a load may rise. Rates are payload bits a second, all streams together. */
export interface Climb {
  readonly startRateBps: number;
  readonly stepRateBps: number;
  /** No load is ever above this. */
  readonly maxRateBps: number;
  /** A load that lost more than this share is lossy: nothing above it is offered any more. */
  readonly stopLossRatio: number;
}

/** One load that was carried out. Loss null: it failed, or nobody could say. */
export interface Load {
  readonly offeredBps: number;
  readonly lossRatio: number | null;
}

/** How often the gap between the last clean and the first lossy rate is halved. */
export const REFINEMENTS = 4;

/**
 * The next rate to offer, given those before it; undefined: the climb is over. From the start upwards step by step until
 * the cap or the first lossy load; then halfway between the highest clean and the lowest lossy rate, a few times. Ends:
 * each rise is a whole step below the cap, and the halvings are counted. A load without a known loss ends it: to offer
 * more without knowing what the last one did would not be careful.
 */
export function nextRateBps(climb: Climb, loads: readonly Load[]): number | undefined {
  if (loads.some(({ lossRatio }) => lossRatio === null)) return undefined;
  const last = loads.at(-1);
  if (!last) return Math.floor(Math.min(climb.startRateBps, climb.maxRateBps));
  const { clean, lossy } = bracket(climb, loads);
  if (lossy === undefined) {
    const next = Math.floor(Math.min(last.offeredBps + climb.stepRateBps, climb.maxRateBps));
    // A rise of less than a hundredth of a step is the rounding of the cap.
    return next - last.offeredBps > climb.stepRateBps / 100 ? next : undefined;
  }
  const firstLossy = loads.findIndex((load) => isLossy(climb, load));
  if (loads.length - 1 - firstLossy >= REFINEMENTS) return undefined;
  const halfway = Math.floor((clean + lossy) / 2);
  return halfway > clean && halfway < lossy ? halfway : undefined;
}

export const isLossy = ({ stopLossRatio }: Pick<Climb, 'stopLossRatio'>, { lossRatio }: Load): boolean =>
  lossRatio !== null && lossRatio > stopLossRatio;

/** The highest clean rate below every lossy one (0: none), and the lowest lossy rate (undefined: none). */
export function bracket(
  climb: Pick<Climb, 'stopLossRatio'>,
  loads: readonly Load[],
): { clean: number; lossy: number | undefined } {
  const lossyRates = loads.filter((load) => isLossy(climb, load)).map(({ offeredBps }) => offeredBps);
  const lossy = lossyRates.length > 0 ? Math.min(...lossyRates) : undefined;
  const cleanRates = loads
    .filter((load) => load.lossRatio !== null && !isLossy(climb, load))
    .map(({ offeredBps }) => offeredBps)
    .filter((rate) => lossy === undefined || rate < lossy);
  return { clean: Math.max(0, ...cleanRates), lossy };
}
