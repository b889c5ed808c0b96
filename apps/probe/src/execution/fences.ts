import { type Ending, ended } from '@plumbline/model';
import { z } from 'zod';
import { DurableRecord } from '../durable-record.js';

/** The whole probe: what an endpoint that names no interface stands for. */
export const WHOLE_PROBE = '*';

export interface Claimed {
  readonly fence: bigint;
  readonly shared: boolean;
  /** The endpoint's interface, or WHOLE_PROBE. */
  readonly resource: string;
}

const Marks = z.record(z.string(), z.string().regex(/^\d+$/).transform(BigInt));

/**
 * The highest exclusive fence that each interface has seen, on disk before anything is started under it. Fences come from one
 * sequence of the control plane, so a higher one is newer; equal ones belong to one leg, and a leg does not fight itself.
 */
export class Fences {
  readonly #marks: Map<string, bigint>;
  readonly #record: DurableRecord;

  /** @throws {Error} when the file is there and cannot be understood: to forget a mark would let an old leg back in */
  constructor(file: string) {
    this.#record = new DurableRecord(file);
    this.#marks = new Map(Object.entries(readMarks(this.#record, file)));
  }

  /** Why a claim comes too late for its interface; undefined: it may have it, once those of `olderThan` have ended. */
  refuses(claim: Claimed, running: readonly Claimed[]): Ending | undefined {
    const marks = [...this.#marks].filter(([resource]) => collide(resource, claim.resource)).map(([, fence]) => fence);
    const rivals = running.filter((other) => areRivals(other, claim)).map((other) => other.fence);
    const newest = [...marks, ...rivals].reduce((a, b) => (a > b ? a : b), 0n);
    if (claim.fence >= newest) return undefined;
    return ended('fence-stale', `Its fence is ${claim.fence}; the interface has seen ${newest}.`);
  }

  /** Raises the mark for an exclusive claim. It is on disk when this returns. */
  raise(claim: Claimed): void {
    if (claim.shared || this.#marks.get(claim.resource) === claim.fence) return;
    this.#marks.set(claim.resource, claim.fence);
    const texts = [...this.#marks].map(([resource, fence]) => [resource, fence.toString()]);
    this.#record.write(JSON.stringify(Object.fromEntries(texts)));
  }
}

/** Those that have to end before the claim may start. */
export const olderThan = <T extends Claimed>(claim: Claimed, running: readonly T[]): T[] =>
  running.filter((other) => other.fence < claim.fence && areRivals(other, claim));

const areRivals = (a: Claimed, b: Claimed): boolean => collide(a.resource, b.resource) && !(a.shared && b.shared);
const collide = (a: string, b: string): boolean => a === b || a === WHOLE_PROBE || b === WHOLE_PROBE;

function readMarks(record: DurableRecord, file: string): Record<string, bigint> {
  try {
    return Marks.parse(JSON.parse(record.read() ?? '{}'));
  } catch {
    throw new Error(
      `${file} cannot be read. It says which legs are too old to be let in; remove it only when no test runs anywhere.`,
    );
  }
}
