import { describe, expect, it } from 'vitest';
import { allot, type Held, hold, type Want } from './claim-spans.js';
import { chooseLegs, type WaitingLeg } from './dispatch-order.js';

const NOW = 1_000_000_000;
const want = (resource: string, exclusive = true): Want => ({ resource, take: exclusive ? 'part' : 'slot', parts: 1 });
function waiting(id: string, resources: string[], more: Partial<WaitingLeg> & { waitedMs?: number } = {}): WaitingLeg {
  const exclusive = more.exclusive ?? true;
  return {
    id,
    exclusive,
    ...(more.background ? { background: true } : {}),
    priority: more.priority ?? 0,
    readySinceMs: NOW - (more.waitedMs ?? 0),
    wants: resources.map((resource) => want(resource, exclusive)),
  };
}
const heldBy = (...wants: Want[]): Held => {
  const held: Held = new Map();
  for (const one of wants) for (const claim of allot([one], held) ?? []) hold(held, claim);
  return held;
};
const chosen = (legs: WaitingLeg[], held: Held = new Map()) => chooseLegs(legs, held, NOW).map((c) => c.id);

describe('the order of dispatch', () => {
  it('is priority, then age, then as asked for', () => {
    const legs = [
      waiting('young', ['r'], { waitedMs: 1 }),
      waiting('old', ['r'], { waitedMs: 2 }),
      waiting('urgent', ['r'], { priority: 5 }),
    ];
    expect(chosen(legs)).toEqual(['urgent']);
    expect(chosen(legs.slice(0, 2))).toEqual(['old']);
    expect(chosen([waiting('first', ['r']), waiting('second', ['r'])])).toEqual(['first']);
  });

  it('does not let a leg that waits hold up one that is free', () => {
    const held = heldBy(want('busy'));
    expect(
      chosen([waiting('blocked', ['busy', 'free'], { waitedMs: 900 }), waiting('behind', ['free'])], held),
    ).toEqual(['behind']);
  });

  it('lets many light legs overlap and an exclusive one run alone', () => {
    const light = ['a', 'b', 'c'].map((id) => waiting(id, ['r'], { exclusive: false, waitedMs: 1 }));
    expect(chosen([...light, waiting('heavy', ['r'])])).toEqual(['a', 'b', 'c']);
    expect(chosen([waiting('heavy', ['r'], { waitedMs: 2 }), ...light])).toEqual(['heavy']);
  });

  it('keeps light legs off an exclusive leg that has waited long enough, and others only much later', () => {
    const held = heldBy(want('r', false));
    const light = waiting('light', ['r'], { exclusive: false, priority: -1 });
    expect(chosen([waiting('heavy', ['r'], { waitedMs: 4_000 }), light], held)).toEqual(['light']);
    expect(chosen([waiting('heavy', ['r'], { waitedMs: 6_000 }), light], held)).toEqual([]);
    const both = heldBy(want('r'));
    const other = waiting('other', ['s']);
    expect(chosen([waiting('heavy', ['r', 's'], { waitedMs: 6_000 }), other], both)).toEqual(['other']);
    expect(chosen([waiting('heavy', ['r', 's'], { waitedMs: 61_000 }), other], both)).toEqual([]);
  });

  it('lets nothing starve for ever: after ten minutes age goes before priority', () => {
    const legs = [
      waiting('urgent', ['r'], { priority: 9, waitedMs: 1_000 }),
      waiting('patient', ['r'], { waitedMs: 601_000 }),
    ];
    expect(chosen(legs)).toEqual(['patient']);
  });

  it('lets a background leg begin last, and not where an exclusive one waits', () => {
    const slow = waiting('slow', ['r'], { exclusive: false, background: true, waitedMs: 700_000 });
    expect(chosen([slow, waiting('heavy', ['r'])])).toEqual(['heavy']);
    expect(chosen([slow, waiting('light', ['r'], { exclusive: false })])).toEqual(['light', 'slow']);
    expect(chosen([slow, waiting('heavy', ['r', 's'])], heldBy(want('s')))).toEqual([]);
    expect(chosen([slow])).toEqual(['slow']);
  });

  it('gives the place of a background leg to an exclusive one, and to no other', () => {
    const [span] = allot([want('r', false)], new Map()) ?? [];
    const yielding = span ? [{ ...span, legId: 'slow' }] : [];
    const choose = (legs: WaitingLeg[], held: Held = new Map()) => chooseLegs(legs, held, NOW, undefined, yielding);
    expect(choose([waiting('heavy', ['r'])])).toMatchObject([{ id: 'heavy', displaces: ['slow'] }]);
    expect(choose([waiting('light', ['r'], { exclusive: false })])).toMatchObject([{ id: 'light', displaces: [] }]);
    expect(choose([waiting('elsewhere', ['s'])])).toMatchObject([{ id: 'elsewhere', displaces: [] }]);
    // What it would still have to wait for is no reason to push anybody aside.
    expect(choose([waiting('heavy', ['r', 's'])], heldBy(want('s')))).toEqual([]);
    const guarding = { ...waiting('heavy', []), wants: [{ ...want('r'), guard: true }] };
    expect(choose([guarding])).toMatchObject([{ id: 'heavy', claims: [], displaces: ['slow'] }]);
  });

  it('leaves what is held as it was', () => {
    const held = heldBy(want('x'));
    const before = structuredClone([...held]);
    chosen([waiting('a', ['r'])], held);
    expect([...held]).toEqual(before);
  });
});
