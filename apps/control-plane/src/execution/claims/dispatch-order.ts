import {
  type Allotted,
  allot,
  firstOf,
  firstSlot,
  type Held,
  hold,
  overlap,
  type Span,
  type Want,
} from './claim-spans.js';

/** A leg that could start if what it wants is free. */
export interface WaitingLeg {
  readonly id: string;
  readonly exclusive: boolean;
  /** Goes after all others, and gives way to exclusive legs. */
  readonly background?: boolean;
  readonly priority: number;
  /** Since when it could have started, ms since the epoch: when it was asked for, or its notBefore. */
  readonly readySinceMs: number;
  readonly wants: readonly Want[];
}
export interface Chosen {
  readonly id: string;
  readonly claims: readonly Allotted[];
  /** Background legs that have to give way to it. */
  readonly displaces: readonly string[];
}
/** A place that a running background leg holds. It is not among what is held: an exclusive leg may have it. */
export interface Yielding extends Span {
  readonly legId: string;
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
 * not hold up others that are free, until its patience ends: then what it wants is kept for it. Background legs give way to an
 * exclusive one, and do not begin where one waits.
 * @param waiting those of equal age in the order in which they were asked for
 * @param held what running legs hold, background ones aside; not changed
 */
export function chooseLegs(
  waiting: readonly WaitingLeg[],
  held: Held,
  nowMs: number,
  patience = PATIENCE,
  yielding: readonly Yielding[] = [],
): Chosen[] {
  const firm = copyOf(held);
  const all = copyOf(held);
  for (const span of yielding) hold(all, span);
  const keptFromBackground = new Set<bigint>();
  const keptFromLight = new Set<bigint>();
  const keptFromAll = new Set<bigint>();
  const chosen: Chosen[] = [];
  for (const leg of inOrder(waiting, nowMs, patience)) {
    const mustWait = leg.wants.some(({ resource }) => {
      const first = firstSlot(resource);
      if (leg.background && keptFromBackground.has(first)) return true;
      return keptFromAll.has(first) || (!leg.exclusive && keptFromLight.has(first));
    });
    const free = mustWait ? undefined : allot(leg.wants, all);
    const claims = free ?? (mustWait || !leg.exclusive ? undefined : allot(leg.wants, firm));
    if (claims) {
      for (const claim of claims) for (const one of [firm, all]) hold(one, claim);
      chosen.push({ id: leg.id, claims, displaces: free ? [] : inTheWay(leg, claims, yielding) });
    } else if (leg.exclusive) {
      const waitedMs = nowMs - leg.readySinceMs;
      const kept = leg.wants.filter((want) => !want.guard).map((want) => firstSlot(want.resource));
      for (const first of kept) keptFromBackground.add(first);
      if (waitedMs >= patience.againstLightMs) for (const first of kept) keptFromLight.add(first);
      if (waitedMs >= patience.againstAllMs) for (const first of kept) keptFromAll.add(first);
    }
  }
  return chosen;
}

const copyOf = (held: Held): Held => new Map([...held].map(([first, spans]) => [first, [...spans]]));

/** Background legs where the leg will be, or where nobody else may be. */
function inTheWay(
  { wants }: Pick<WaitingLeg, 'wants'>,
  claims: readonly Allotted[],
  yielding: readonly Yielding[],
): readonly string[] {
  const guarded = wants.filter((want) => want.guard).map((want) => firstSlot(want.resource));
  const isInTheWay = (span: Yielding): boolean =>
    claims.some((claim) => overlap(claim, span)) || guarded.includes(firstOf(span));
  return [...new Set(yielding.filter(isInTheWay).map(({ legId }) => legId))];
}

/** Background legs last; priority first, then age; whoever waited longer than `toFrontMs` before both, the oldest of them first. */
function inOrder(waiting: readonly WaitingLeg[], nowMs: number, patience: Patience): WaitingLeg[] {
  const isOld = (leg: WaitingLeg): boolean => nowMs - leg.readySinceMs >= patience.toFrontMs;
  return waiting
    .map((leg, place) => ({ leg, place, old: isOld(leg) }))
    .sort((a, b) => {
      const [asideA, asideB] = [a.leg.background ?? false, b.leg.background ?? false];
      if (asideA !== asideB) return asideA ? 1 : -1;
      if (a.old !== b.old) return a.old ? -1 : 1;
      const byPriority = a.old ? 0 : b.leg.priority - a.leg.priority;
      return byPriority || a.leg.readySinceMs - b.leg.readySinceMs || a.place - b.place;
    })
    .map(({ leg }) => leg);
}
