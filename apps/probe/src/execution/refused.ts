import type { Ending } from '@plumbline/model';

/** A refusal on its way out of a row of checks; each call's edge turns it into its own kind of answer. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly ending: Ending) {
    super(ending.outcome === 'completed' ? 'completed' : ending.reason);
  }
}

/** One thing after another: starts and refusals must not overtake each other. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all earlier work has ended; each ends by itself. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
