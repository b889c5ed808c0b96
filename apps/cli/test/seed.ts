/** A number that repeats a test's draws: PLUMBLINE_SEED when it is given, else another one each time. Print it. */
export const seedOfRun = (): number => Number(process.env.PLUMBLINE_SEED ?? Date.now() % 2 ** 31);

/** Draws that a seed repeats (mulberry32, public domain). */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 up to, not including, 1 */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.share();
  }

  /** As many high as low ones by their logarithm: for sizes that span decades. */
  betweenByRatio(low: number, high: number): number {
    return low * (high / low) ** this.share();
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, at: this.share() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}
