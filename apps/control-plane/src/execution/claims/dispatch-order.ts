import { type Allotted, allot, firstSlot, type Held, hold, type Want } from './claim-spans.js';

/** A leg that could start if what it wants is free. */
export interface WaitingLeg {
  readonly id: string;
  readonly exclusive: boolean;
  readonly priority: number;
  /** Since when it could have started, ms since the epoch: when it was asked for, or its notBefore. */
  readonly readySinceMs: number;
  readonly wants: readonly Want[];
}
export interface Chosen {
  readonly id: string;
  readonly claims: readonly Allotted[];
}

/** How long a leg waits before the others have to make room. */
export interface Patience {
  /** After this, an exclusive leg keeps light legs off what it wants. */
  readonly againstLightMs: number;
  /** After this, it keeps every leg behind it off. */
  readonly againstAllMs: number;
  /** After this, a leg goes before every younger one, whatever their priority. */
  readonly toFrontMs: number;
}
export const PATIENCE: Patience = { againstLightMs: 5_000, againstAllMs: 60_000, toFrontMs: 600_000 };

/**
 * Which waiting legs start now: by priority, then age, each as soon as all it wants is free. A leg that has to wait does
 * not hold up others that are free, until its patience ends: then what it wants is kept for it.
 * @param waiting those of equal age in the order in which they were asked for
 * @param held what running legs hold; not changed
 */
export function chooseLegs(waiting: readonly WaitingLeg[], held: Held, nowMs: number, patience = PATIENCE): Chosen[] {
  const now: Held = new Map([...held].map(([first, spans]) => [first, [...spans]]));
  const keptFromLight = new Set<bigint>();
  const keptFromAll = new Set<bigint>();
  const chosen: Chosen[] = [];
  for (const leg of inOrder(waiting, nowMs, patience)) {
    const mustWait = leg.wants.some(({ resource }) => {
      const first = firstSlot(resource);
      return keptFromAll.has(first) || (!leg.exclusive && keptFromLight.has(first));
    });
    const claims = mustWait ? undefined : allot(leg.wants, now);
    if (claims) {
      for (const claim of claims) hold(now, claim);
      chosen.push({ id: leg.id, claims });
    } else if (leg.exclusive) {
      const waitedMs = nowMs - leg.readySinceMs;
      const kept = leg.wants.filter((want) => !want.guard).map((want) => firstSlot(want.resource));
      if (waitedMs >= patience.againstLightMs) for (const first of kept) keptFromLight.add(first);
      if (waitedMs >= patience.againstAllMs) for (const first of kept) keptFromAll.add(first);
    }
  }
  return chosen;
}

/** Priority first, then age; whoever waited longer than `toFrontMs` before both, the oldest of them first. */
function inOrder(waiting: readonly WaitingLeg[], nowMs: number, patience: Patience): WaitingLeg[] {
  const isOld = (leg: WaitingLeg): boolean => nowMs - leg.readySinceMs >= patience.toFrontMs;
  return waiting
    .map((leg, place) => ({ leg, place, old: isOld(leg) }))
    .sort((a, b) => {
      if (a.old !== b.old) return a.old ? -1 : 1;
      const byPriority = a.old ? 0 : b.leg.priority - a.leg.priority;
      return byPriority || a.leg.readySinceMs - b.leg.readySinceMs || a.place - b.place;
    })
    .map(({ leg }) => leg);
}
