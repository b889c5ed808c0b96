import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EndedAttempts } from './ended-attempts.js';
import { Fences, olderThan, WHOLE_PROBE } from './fences.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-fences-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let n = 0;
const file = (): string => join(folder, `${n++}`);
const exclusive = (fence: bigint, resource = 'eth0') => ({ fence, shared: false, resource });
const shared = (fence: bigint, resource = 'eth0') => ({ fence, shared: true, resource });

test('the mark is on disk, exact above 2^53, and only exclusive claims raise it', () => {
  const path = file();
  const fences = new Fences(path);
  fences.raise(exclusive(9_007_199_254_740_993n));
  fences.raise(shared(9_007_199_254_740_999n));
  const again = new Fences(path);
  expect(again.refuses(exclusive(9_007_199_254_740_992n), [])).toMatchObject({
    outcome: 'refused',
    reason: 'fence-stale',
  });
  expect(again.refuses(shared(9_007_199_254_740_992n), [])).toMatchObject({ reason: 'fence-stale' });
  expect(again.refuses(exclusive(9_007_199_254_740_993n), [])).toBeUndefined();
  expect(again.refuses(exclusive(1n, 'eth1'), [])).toBeUndefined();
  expect(again.refuses(exclusive(1n, WHOLE_PROBE), [])).toMatchObject({ reason: 'fence-stale' });
});

test('a newer running rival refuses an older claim; shared ones are no rivals of each other', () => {
  const fences = new Fences(file());
  expect(fences.refuses(exclusive(4n), [shared(5n)])).toMatchObject({ reason: 'fence-stale' });
  expect(fences.refuses(shared(4n), [shared(5n)])).toBeUndefined();
  expect(fences.refuses(shared(4n), [exclusive(5n)])).toMatchObject({ reason: 'fence-stale' });
});

test('what has to end first: older ones on the same interface, unless both are shared', () => {
  const running = [exclusive(1n), shared(2n), exclusive(3n, 'eth1'), shared(4n, WHOLE_PROBE), exclusive(6n)];
  expect(olderThan(exclusive(5n), running).map((r) => r.fence)).toEqual([1n, 2n, 4n]);
  expect(olderThan(shared(5n), running).map((r) => r.fence)).toEqual([1n]);
  expect(olderThan(exclusive(5n, WHOLE_PROBE), running).map((r) => r.fence)).toEqual([1n, 2n, 3n, 4n]);
});

test('a mark is on disk when raise returns: another reader sees it at once, whichever it was', () => {
  const path = file();
  const fences = new Fences(path);
  for (let fence = 1n; fence <= 5n; fence += 1n) {
    fences.raise(exclusive(fence));
    expect(new Fences(path).refuses(exclusive(fence - 1n), [])).toMatchObject({ reason: 'fence-stale' });
    expect(new Fences(path).refuses(exclusive(fence), [])).toBeUndefined();
  }
});

test('a damaged file is not forgotten in silence', () => {
  const path = file();
  writeFileSync(path, '{"eth0":"12');
  expect(() => new Fences(path)).toThrow('cannot be read');
});

test('ended ids are remembered over a restart, for a week, and a cut line does no harm', () => {
  const path = file();
  let now = 0;
  const ended = new EndedAttempts(path, () => now);
  ended.remember('a', 'cancelled-by-user');
  now = 6 * 86_400_000;
  ended.remember('b', 'fence-stale', 'It was acknowledged.');
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"id":"c","rea`);
  const again = new EndedAttempts(path, () => now);
  expect(again.find('a')).toEqual({ outcome: 'cancelled', reason: 'cancelled-by-user' });
  expect(again.find('b')).toEqual({ outcome: 'refused', reason: 'fence-stale', detail: 'It was acknowledged.' });
  expect(again.find('c')).toBeUndefined();
  now = 8 * 86_400_000;
  const later = new EndedAttempts(path, () => now);
  expect([later.find('a'), later.find('b')?.outcome]).toEqual([undefined, 'refused']);
});
