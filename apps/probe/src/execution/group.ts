import { setTimeout as delay } from 'node:timers/promises';
import type { BesidePhase, Phase, PhaseGroup } from '@plumbline/measure';
import type { PhaseRun } from './phase.js';

/** What runs one program of a group, and is told how it ended. */
export interface GroupHands {
  /** Of the whole attempt: all its programs end with it. */
  readonly signal: AbortSignal;
  /** @param onReady called when the text that the phase's readiness is told by has come */
  readonly run: (phase: Phase, signal: AbortSignal, onReady: () => void) => Promise<PhaseRun>;
  /** In the order in which the programs end: so the first cause is the first that is told. */
  readonly onEnd: (phase: Phase, run: PhaseRun) => void;
}

/**
 * Runs phases at the same time: those beside first, each with its lead, then the main ones. When these have ended, what runs
 * beside has its grace and is then ended, which is no failure. A failure of one that is not optional ends all at once.
 * Resolves when every program is gone: each has its timeout.
 * @throws what a run threw, once the others are gone
 */
export function runGroup(group: PhaseGroup, hands: GroupHands): Promise<void> {
  return new GroupRun(hands).through(group);
}

class GroupRun {
  readonly #failed = new AbortController();
  readonly #signal: AbortSignal;
  #problem: { readonly error: unknown } | undefined;

  constructor(private readonly hands: GroupHands) {
    this.#signal = AbortSignal.any([hands.signal, this.#failed.signal]);
  }

  async through({ mains, beside }: PhaseGroup): Promise<void> {
    const accompanying: {
      readonly ended: Promise<void>;
      readonly phase: BesidePhase;
      readonly over: AbortController;
    }[] = [];
    for (const phase of beside) {
      if (this.#signal.aborted) break;
      const over = new AbortController();
      let tellReady = (): void => {};
      const ready = new Promise<void>((resolve) => {
        tellReady = resolve;
      });
      const ended = this.#run(phase, over.signal, tellReady);
      accompanying.push({ ended, phase, over });
      await this.#lead(phase.beside.leadMs, [ready, ended]);
    }
    if (!this.#signal.aborted) await Promise.all(mains.map((phase) => this.#run(phase)));
    await Promise.all(
      accompanying.map(async ({ ended, phase, over }) => {
        await this.#lead(phase.beside.graceMs, [ended]);
        over.abort();
        await ended;
      }),
    );
    if (this.#problem) throw this.#problem.error;
  }

  /** Never rejects. @param over once aborted, being ended is no failure of the phase */
  async #run(phase: Phase, over?: AbortSignal, onReady: () => void = () => {}): Promise<void> {
    const signal = over ? AbortSignal.any([this.#signal, over]) : this.#signal;
    try {
      const run = await this.hands.run(phase, signal, onReady);
      const endedByUs = over?.aborted && !this.#signal.aborted;
      this.hands.onEnd(phase, endedByUs ? { ...run, failure: undefined } : run);
      if (run.failure && !endedByUs && !phase.optional) this.#failed.abort();
    } catch (error) {
      this.#problem ??= { error };
      this.#failed.abort();
    }
  }

  /** Ends after that time, with the first of what it waits for, or with the group. */
  async #lead(ms: number, or: readonly Promise<void>[]): Promise<void> {
    if (ms <= 0 || this.#signal.aborted) return;
    const enough = new AbortController();
    const time = delay(ms, undefined, { signal: AbortSignal.any([this.#signal, enough.signal]) }).catch(
      () => undefined,
    );
    await Promise.race([time, ...or]);
    enough.abort();
  }
}
