import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstSizesBytes, sizesBetween } from './ladder.js';
import type { TriedSize } from './result.js';
import { PathMtuSpec } from './spec.js';
import { pathMtuVerdict } from './verdict.js';

const size = (sizeBytes: number, replies: number, more: Partial<TriedSize> = {}): TriedSize => ({
  sizeBytes,
  sent: 3,
  replies,
  signals: [],
  errors: [],
  ...more,
});
const says = (mtuBytes: number, from = '192.0.2.2') => ({ signals: [{ from, mtuBytes }] });

describe('what the sizes say together', () => {
  test('a hop names the MTU: that, and not the size that happened to pass', () => {
    const verdict = pathMtuVerdict([size(1280, 3), size(1492, 0, says(1400)), size(1500, 0)]);
    expect(verdict).toEqual({ verdict: 'signalled', mtuBytes: 1400, refusedBytes: 1492, hop: '192.0.2.2' });
  });

  test('the kernel repeats what a hop said', () => {
    const verdict = pathMtuVerdict([
      size(1280, 3),
      size(1492, 0, { sent: 0, localMtuBytes: 1400 }),
      size(1500, 0, { ...says(1400), localMtuBytes: 1400 }),
    ]);
    expect(verdict).toMatchObject({ verdict: 'signalled', mtuBytes: 1400, hop: '192.0.2.2' });
  });

  test('nobody but the own interface', () => {
    const verdict = pathMtuVerdict([size(1280, 3), size(1500, 3), size(9000, 0, { localMtuBytes: 1500 })]);
    expect(verdict).toEqual({ verdict: 'local', mtuBytes: 1500, refusedBytes: 9000 });
  });

  test('silence above a size is a black hole', () => {
    expect(pathMtuVerdict([size(1280, 3), size(1400, 3), size(1420, 0), size(1500, 0)])).toEqual({
      verdict: 'black-hole',
      mtuBytes: 1400,
      refusedBytes: 1420,
    });
  });

  test('a hop speaks, and below its word there is silence too', () => {
    const verdict = pathMtuVerdict([size(1280, 3), size(1400, 0), size(1500, 0, says(1450))]);
    expect(verdict).toEqual({ verdict: 'black-hole', mtuBytes: 1280, refusedBytes: 1400 });
  });

  test('a hop that names less than what gets through is not believed', () => {
    const verdict = pathMtuVerdict([size(1280, 3), size(1400, 0, says(600))]);
    expect(verdict).toMatchObject({ verdict: 'black-hole', mtuBytes: 1280 });
  });

  test('a small size that was lost is no limit', () => {
    expect(pathMtuVerdict([size(576, 0), size(1280, 1), size(1500, 2)])).toEqual({
      verdict: 'ceiling',
      mtuBytes: 1500,
    });
  });

  test('no echo at all: nobody knows', () => {
    expect(pathMtuVerdict([size(100, 0), size(1500, 0)])).toEqual({ verdict: 'no-echo' });
    expect(pathMtuVerdict([size(100, 0), size(1500, 0, says(1400))])).toMatchObject({
      verdict: 'signalled',
      mtuBytes: 1400,
    });
    const prohibited = { errors: [{ from: '192.0.2.2', text: 'Packet filtered' }] };
    expect(pathMtuVerdict([size(100, 0, prohibited), size(1500, 0)])).toEqual({ verdict: 'unreachable' });
  });

  test('whatever path: the largest size that passes is found', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9000 }), fc.boolean(), (mtuBytes, signalled) => {
        const sizes = firstSizesBytes(9000).map((bytes) =>
          bytes <= mtuBytes ? size(bytes, 3) : size(bytes, 0, signalled ? says(mtuBytes) : {}),
        );
        const found = pathMtuVerdict(sizes);
        if (signalled && mtuBytes < 9000) expect(found.mtuBytes).toBe(mtuBytes);
        else expect(found.mtuBytes).toBe(Math.max(...firstSizesBytes(9000).filter((bytes) => bytes <= mtuBytes)));
      }),
    );
  });
});

describe('the sizes to try', () => {
  test('are met ones, the ceiling among them, and fit a spec', () => {
    expect(firstSizesBytes(1500)).toEqual([100, 576, 1280, 1400, 1420, 1450, 1476, 1492, 1500]);
    expect(firstSizesBytes(9000).at(-1)).toBe(9000);
    expect(firstSizesBytes(68)).toEqual([68]);
    fc.assert(
      fc.property(fc.integer({ min: 68, max: 65_535 }), (ceiling) => {
        const sizesBytes = firstSizesBytes(ceiling);
        expect(PathMtuSpec.safeParse({ sizesBytes }).success).toBe(true);
        expect(Math.max(...sizesBytes)).toBe(ceiling);
      }),
    );
  });

  test('narrow a gap until nothing is left in it', () => {
    expect(sizesBetween(1400, 1401)).toEqual([]);
    expect(sizesBetween(1400, 1403)).toEqual([1401, 1402]);
    fc.assert(
      fc.property(
        fc.integer({ min: 68, max: 65_000 }),
        fc.nat({ max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (low, gap, at) => {
          let [passed, refused] = [low, low + gap + 1];
          const mtu = passed + Math.floor(at * (refused - passed - 1));
          let rounds = 0;
          for (let sizes = sizesBetween(passed, refused); sizes.length > 0; sizes = sizesBetween(passed, refused)) {
            expect(PathMtuSpec.shape.sizesBytes.safeParse(sizes).success || refused > 65_535).toBe(true);
            passed = Math.max(passed, ...sizes.filter((bytes) => bytes <= mtu));
            refused = Math.min(refused, ...sizes.filter((bytes) => bytes > mtu));
            rounds += 1;
          }
          expect(passed).toBe(mtu);
          expect(rounds).toBeLessThanOrEqual(5);
        },
      ),
    );
  });
});
