import { type Ending, ended } from '@plumbline/model';

export interface FakeClaim {
  readonly id: string;
  readonly fence: bigint;
  readonly shared: boolean;
  /** The endpoint's interface; `*` when none is named: the whole probe. */
  readonly resource: string;
}

/** The probe contract's fences, in memory. */
export class FakeClaims {
  readonly #marks = new Map<string, bigint>();

  /** Why the claim comes too late; undefined: it may start once `olderThan` have ended. */
  refuses(claim: FakeClaim, running: readonly FakeClaim[]): Ending | undefined {
    const marks = [...this.#marks].filter(([resource]) => collide(resource, claim.resource)).map(([, fence]) => fence);
    const rivals = running.filter((r) => collide(r.resource, claim.resource) && !(r.shared && claim.shared));
    const newest = [...marks, ...rivals.map((r) => r.fence)].reduce((a, b) => (a > b ? a : b), 0n);
    return claim.fence < newest ? ended('fence-stale', `Fence ${claim.fence} is older than ${newest}.`) : undefined;
  }

  raise(claim: FakeClaim): void {
    if (!claim.shared) this.#marks.set(claim.resource, claim.fence);
  }

  /** Those that the claim takes the interface from. */
  olderThan(claim: FakeClaim, running: readonly FakeClaim[]): FakeClaim[] {
    return running.filter(
      (r) => r.fence < claim.fence && collide(r.resource, claim.resource) && !(r.shared && claim.shared),
    );
  }
}

const collide = (a: string, b: string): boolean => a === b || a === '*' || b === '*';
