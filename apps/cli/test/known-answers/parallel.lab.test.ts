import { cubicBps } from '@plumbline/analysis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LINK_PAYLOAD_BPS, LINK_PAYLOAD_V6_BPS, SeedPath, stepValue } from './seed-path.js';

const parallel = (more: object) => ({
  kind: 'parallel',
  durationS: 3,
  omitS: 2,
  congestionControl: 'cubic',
  ...more,
});

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('parallel');
});
afterAll(() => seed?.stop());

/** What the streams of a cell got, each. */
const streamsOf = (run: Awaited<ReturnType<SeedPath['measure']>>, streams: number): number[] =>
  Array.from({ length: streams }, (_, i) =>
    stepValue(run, 'throughput', { streams: String(streams), stream: String(i + 1) }),
  );

test('four streams without loss: the link, as the bare tool gets it, no more than one stream alone', async () => {
  const enough = 0.97 * LINK_PAYLOAD_BPS;
  const run = await seed.until(parallel({ streams: 4 }), (r) => stepValue(r, 'throughput', { streams: '4' }) > enough);
  const sum = stepValue(run, 'throughput', { streams: '4' });
  const bare = await seed.bareIperf3(['-P', '4']);
  expect(sum / bare).toBeGreaterThan(0.97);
  expect(sum / bare).toBeLessThan(1.03);
  expect(sum / LINK_PAYLOAD_BPS).toBeGreaterThan(0.97);
  expect(sum / LINK_PAYLOAD_BPS).toBeLessThan(1.01);
  const each = streamsOf(run, 4);
  expect(each.reduce((a, b) => a + b) / sum).toBeCloseTo(1, 2);
  expect(stepValue(run, 'fairness', { streams: '4' })).toBeLessThanOrEqual(1);
  expect(stepValue(run, 'fairness', { streams: '4' })).toBeGreaterThan(0.25);
  expect(stepValue(run, 'ratio-to-single', { streams: '4' })).toBeCloseTo(1, 1);
  // Every stream's window was seen, so every data socket was sampled.
  for (const stream of ['1', '2', '3', '4'])
    expect(stepValue(run, 'window.max', { streams: '4', stream })).toBeGreaterThan(10_000);
});

test('the other way over IPv6, where headers take 20 bytes more', async (context) => {
  if (!seed.hasIpv6) return context.skip('this kernel has no IPv6');
  const six = { path: seed.path6 };
  const enough = 0.97 * LINK_PAYLOAD_V6_BPS;
  const run = await seed.until(
    parallel({ streams: 3, direction: 'reverse' }),
    (r) => stepValue(r, 'throughput', { streams: '3' }) > enough,
    six,
  );
  const share = stepValue(run, 'throughput', { streams: '3' }) / LINK_PAYLOAD_V6_BPS;
  expect(share).toBeGreaterThan(0.97);
  expect(share).toBeLessThan(1.01);
  for (const stream of ['1', '2', '3'])
    expect(stepValue(run, 'rtt.mean', { streams: '3', stream })).toBeGreaterThan(44.08);
});

test('both directions at once: the link each way, each with its own window and round trip', async () => {
  const both = { kind: 'single-stream', direction: 'simultaneous', congestionControl: 'cubic', durationS: 4, omitS: 2 };
  const ways = [{ direction: 'forward' }, { direction: 'reverse' }];
  // Acknowledgements of the other way take their share (52 of 3052 bytes, one for every two segments) and come in bursts.
  const enough = 0.9 * LINK_PAYLOAD_BPS;
  const run = await seed.until(both, (r) => ways.every((way) => stepValue(r, 'throughput', way) > enough));
  for (const way of ways) {
    expect(stepValue(run, 'throughput', way)).toBeGreaterThan(enough);
    expect(stepValue(run, 'throughput', way)).toBeLessThan(1.005 * LINK_PAYLOAD_BPS);
    expect(stepValue(run, 'rtt.mean', way)).toBeGreaterThan(44.08);
    expect(stepValue(run, 'window.max', way)).toBeGreaterThan(10_000);
  }
});

/** The row of PRODUCT.md takes 20 s; a shorter draw scatters more (VECTORS.md 3: 0.5 / sqrt(losses), here about 80 of four streams). */
const full = process.env.PLUMBLINE_FULL !== undefined;
const bounds = full
  ? { four: [9.5e6, 11.5e6], eight: [18e6, 19.2e6], durationS: 20, repeats: 3 }
  : { four: [8.2e6, 12.4e6], eight: [16.5e6, 19.4e6], durationS: 9, repeats: 1 };

test('1 % loss: four and eight cubic streams hide what one feels, and the ratio says so', {
  timeout: 300_000,
}, async () => {
  await seed.set(2, 'ab', { command: 'loss', ratio: 0.01 });
  try {
    const { durationS, repeats } = bounds;
    const run = await seed.measure(parallel({ streams: [4, 8], durationS, repeats }), { forMs: 300_000 });
    const got = (streams: number) => stepValue(run, 'throughput', { streams: String(streams) });
    console.log([1, 4, 8].map((streams) => `${streams}: ${(got(streams) / 1e6).toFixed(2)} Mbit/s`).join(', '));
    expect(got(4)).toBeGreaterThan(bounds.four[0] ?? 0);
    expect(got(4)).toBeLessThan(bounds.four[1] ?? 0);
    expect(got(8)).toBeGreaterThan(bounds.eight[0] ?? 0);
    expect(got(8)).toBeLessThan(bounds.eight[1] ?? 0);
    // The response function bounds each stream from above (timeouts); 44 ms is the least round trip.
    const ceiling = cubicBps(1448, 44.08, 0.01) ?? 0;
    expect(got(4)).toBeLessThan(4 * ceiling * 1.1);
    expect(stepValue(run, 'ratio-to-single', { streams: '4' })).toBeGreaterThan(2.5);
    expect(stepValue(run, 'ratio-to-single', { streams: '8' })).toBeGreaterThan(4.5);
    expect(stepValue(run, 'retransmits', { streams: '4' })).toBeGreaterThan(20);
  } finally {
    await seed.set(2, 'ab', { command: 'loss', ratio: 0 });
  }
});
