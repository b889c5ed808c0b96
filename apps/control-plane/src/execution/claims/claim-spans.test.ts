import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LegPath } from '../../persistence/leg-path.js';
import { allot, firstSlot, type Held, hold, overlap, SLOTS, type Want, wantsOf } from './claim-spans.js';

const at = '2026-11-30T00:00:00.000Z';
interface End {
  probe: string;
  interface?: string;
}
function leg(source: End, destination: End, sharedLinks: LegPath['sharedLinks'] = []): LegPath {
  const end = (e: End) => ({ endpoint: 'e', site: 's', address: '192.0.2.1', ...e });
  return {
    path: {
      name: 'p',
      source: { probe: source.probe, endpoint: 'e' },
      destination: { probe: destination.probe, endpoint: 'e' },
      rateLayer: 'ip',
      createdAt: at,
      updatedAt: at,
    },
    source: end(source),
    destination: end(destination),
    sharedLinks,
  };
}

const INTERFACES = ['eth0', 'eth1', 'eth2'];
const endArbitrary = fc.record(
  { probe: fc.constantFrom('a', 'b', 'c'), interface: fc.constantFrom(...INTERFACES) },
  { requiredKeys: ['probe'] },
);
const linksArbitrary = fc.array(
  fc.record({ name: fc.constantFrom('up', 'down'), capacity: fc.constantFrom(1, 2, 3) }),
  { maxLength: 2 },
);
type Command =
  | { start: { source: End; destination: End; links: LegPath['sharedLinks']; exclusive: boolean } }
  | { end: number };
const commandArbitrary: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    start: fc.record({
      source: endArbitrary,
      destination: endArbitrary,
      links: linksArbitrary,
      exclusive: fc.boolean(),
    }),
  }),
  fc.record({ end: fc.nat(20) }),
);

/** The rule in words, over endpoints: what may not overlap in time. */
function mayNotOverlap(a: End, aExclusive: boolean, b: End, bExclusive: boolean): boolean {
  if (a.probe !== b.probe || (!aExclusive && !bExclusive)) return false;
  return a.interface === undefined || b.interface === undefined || a.interface === b.interface;
}

describe('claims against a model', () => {
  it('never lets two legs use one endpoint unless both are light, and never claims one slot twice', () => {
    fc.assert(
      fc.property(fc.array(commandArbitrary, { maxLength: 40 }), (commands) => {
        type Running = { ends: End[]; exclusive: boolean; spans: { lower: bigint; upper: bigint }[] };
        const running: Running[] = [];
        for (const command of commands) {
          if ('end' in command) {
            running.splice(command.end, 1);
            continue;
          }
          const { source, destination, links, exclusive } = command.start;
          const held: Held = new Map();
          for (const other of running) for (const span of other.spans) hold(held, span);
          const claims = allot(
            wantsOf(leg(source, destination, links), exclusive, () => INTERFACES),
            held,
          );
          const ends = [source, destination];
          const forbidden = running.some((other) =>
            other.ends.some((theirs) => ends.some((mine) => mayNotOverlap(mine, exclusive, theirs, other.exclusive))),
          );
          if (forbidden) expect(claims).toBeUndefined();
          if (!claims) continue;
          for (const claim of claims)
            for (const other of running) expect(other.spans.some((span) => overlap(span, claim))).toBe(false);
          running.push({ ends, exclusive, spans: [...claims] });
        }
      }),
      { numRuns: 400 },
    );
  });

  it('gives a leg whatever it wants when nothing is held', () => {
    fc.assert(
      fc.property(endArbitrary, endArbitrary, linksArbitrary, fc.boolean(), (source, destination, links, exclusive) => {
        const claims = allot(
          wantsOf(leg(source, destination, links), exclusive, () => INTERFACES),
          new Map(),
        );
        expect(claims).toBeDefined();
      }),
    );
  });
});

describe('what a leg wants', () => {
  const resources = (wants: readonly Want[]) => wants.filter((w) => !w.guard).map((w) => w.resource);

  it('is the interface where one is named, the whole probe where none is, and the links once', () => {
    const wants = wantsOf(
      leg({ probe: 'a', interface: 'eth0' }, { probe: 'b' }, ['up', { name: 'up', capacity: 3 }]),
      true,
      () => ['eth0', 'eth1'],
    );
    expect(resources(wants)).toEqual(['probe/a/if/eth0', 'probe/b', 'probe/b/if/eth0', 'probe/b/if/eth1', 'link/up']);
    expect(wants.find((w) => w.resource === 'link/up')?.parts).toBe(1);
  });

  it('is no contradiction for two endpoints of one probe', () => {
    const same = leg({ probe: 'a', interface: 'eth0' }, { probe: 'a' });
    expect(resources(wantsOf(same, true, () => ['eth0']))).toEqual(['probe/a', 'probe/a/if/eth0']);
    expect(
      allot(
        wantsOf(same, true, () => ['eth0']),
        new Map(),
      ),
    ).toHaveLength(2);
  });

  it('keeps an interface that was registered later apart from a leg that holds the whole probe', () => {
    const held: Held = new Map();
    for (const claim of allot(
      wantsOf(leg({ probe: 'a' }, { probe: 'b' }), true, () => ['eth0']),
      held,
    ) ?? [])
      hold(held, claim);
    const late = wantsOf(leg({ probe: 'a', interface: 'new0' }, { probe: 'c', interface: 'eth0' }), true, () => []);
    expect(allot(late, held)).toBeUndefined();
  });
});

describe('shared links', () => {
  it('carry as many exclusive legs as their capacity, and light legs pack into one part', () => {
    const held: Held = new Map();
    const take = (n: number, exclusive: boolean) => {
      const wants = wantsOf(
        leg({ probe: `x${n}` }, { probe: `y${n}` }, [{ name: 'up', capacity: 2 }]),
        exclusive,
        () => [],
      );
      const claims = allot(wants, held);
      for (const claim of claims ?? []) hold(held, claim);
      return claims !== undefined;
    };
    expect([take(1, false), take(2, false), take(3, true), take(4, true), take(5, false)]).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
  });
});

describe('spans', () => {
  it('lie inside a signed 64-bit integer and differ by name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const first = firstSlot(name);
        expect(first % SLOTS).toBe(0n);
        expect(first >= 0n && first + SLOTS < 2n ** 63n).toBe(true);
      }),
    );
    expect(firstSlot('link/a')).not.toBe(firstSlot('link/b'));
  });
});
