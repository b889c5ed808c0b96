import { type Ending, ended, type Reason } from '@plumbline/model';
import type { Spool, Spooled } from '../spool/spool.js';
import { finishedEvent, RunningAttempt } from './attempt.js';
import type { EndedAttempts } from './ended-attempts.js';
import { type Claimed, type Fences, olderThan } from './fences.js';
import { Refused } from './refused.js';

export type Side = 'near' | 'far';

/** All attempts of this probe: those that run and those that wait to be acknowledged. */
export class Attempts {
  readonly #known = new Map<string, Spooled>();
  #closing: Ending | undefined;

  constructor(
    private readonly spool: Spool,
    private readonly fences: Fences,
    private readonly ended: EndedAttempts,
  ) {}

  /** Takes in what an earlier life left: what ran then is lost, with what it had said. */
  async recover(): Promise<number> {
    let lost = 0;
    for (const spooled of this.spool.reopen()) {
      this.#known.set(keyOf(spooled.facts.id, spooled.facts.side), spooled);
      if (spooled.log.finished) continue;
      lost += 1;
      for (const { phase, stream, name } of this.spool.unannounced(spooled))
        await spooled.log.addArtifact({ name, phase, tool: stream === 'samples' ? 'ss' : '', stream });
      spooled.log.finish(finishedEvent(ended('probe-stopped'), spooled.facts.startedAt));
    }
    return lost;
  }

  find(id: string, side: Side): Spooled | undefined {
    return this.#known.get(keyOf(id, side));
  }
  list(): Spooled[] {
    return [...this.#known.values()];
  }
  running(): RunningAttempt[] {
    const runs = (known: Spooled): known is RunningAttempt => known instanceof RunningAttempt && !known.log.finished;
    return this.list().filter(runs);
  }

  /** @throws {Refused} when the id was stopped or acknowledged, or the probe is being shut down */
  refuseIfEnded(id: string): void {
    const over = this.#closing ?? this.ended.find(id);
    if (over) throw new Refused(over);
  }

  /** @throws {Refused} when the id must not start, or a newer claim holds the interface */
  refuseIfLate(id: string, claim: Claimed): void {
    this.refuseIfEnded(id);
    const stale = this.fences.refuses(claim, this.#claims());
    if (stale) throw new Refused(stale);
  }

  /**
   * Takes the interface for a claim: the mark is on disk and older attempts are gone when this resolves. Start at once then.
   * @throws {Refused} when the id was stopped meanwhile
   */
  async admit(id: string, claim: Claimed): Promise<void> {
    this.fences.raise(claim);
    const older = olderThan(claim, this.#claims());
    await Promise.all(
      older.map(({ attempt }) => attempt.end(ended('superseded', `Fence ${claim.fence} took the interface.`))),
    );
    this.refuseIfEnded(id);
  }

  add(attempt: RunningAttempt): void {
    this.#known.set(keyOf(attempt.facts.id, attempt.facts.side), attempt);
    void attempt.done.then(() => this.prune());
  }

  /** Ends both sides of an attempt, and keeps its id from ever starting. @returns whether one ran */
  async stop(id: string, reason: Reason): Promise<boolean> {
    this.ended.remember(id, reason);
    const running = this.running().filter(({ facts }) => facts.id === id);
    await Promise.all(running.map((attempt) => attempt.end(ended(reason))));
    return running.length > 0;
  }

  /** @returns false when it still runs */
  acknowledge(id: string): boolean {
    const sides = (['near', 'far'] as const).flatMap((side) => this.find(id, side) ?? []);
    if (sides.some(({ log }) => !log.finished)) return false;
    if (sides.length > 0) this.ended.remember(id, 'fence-stale', 'This attempt has ended and was acknowledged.');
    for (const { facts } of sides) this.#forget(facts.id, facts.side);
    return true;
  }

  /** Ends all, and lets nothing start any more: the probe is being shut down. */
  async endAll(ending: Ending): Promise<void> {
    this.#closing = ending;
    await Promise.all(this.running().map((attempt) => attempt.end(ending)));
  }

  prune(): void {
    for (const { facts } of this.spool.outdated(this.list())) this.#forget(facts.id, facts.side);
  }

  #forget(id: string, side: Side): void {
    const known = this.find(id, side);
    this.#known.delete(keyOf(id, side));
    if (known) this.spool.remove(known.facts);
  }

  #claims = (): (Claimed & { attempt: RunningAttempt })[] =>
    this.running().map((attempt) => {
      const { fence, shared, resource } = attempt.facts;
      return { fence, shared, resource, attempt };
    });
}

const keyOf = (id: string, side: Side): string => `${id} ${side}`;
