import { metricValue } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LINK_PAYLOAD_BPS, SeedPath } from './seed-path.js';

/** The link is full within a second, and from then on its rate is the answer: three seconds of it are within 1 %. */
const stream = (more: object = {}) => ({
  kind: 'single-stream',
  durationS: 3,
  omitS: 2,
  congestionControl: 'cubic',
  ...more,
});

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('streams');
});
afterAll(() => seed?.stop());

test('rtt: the path takes 44.08 ms and the measured median lies just above', async () => {
  const run = await seed.measure({ kind: 'rtt', count: 15, intervalS: 0.1 });
  expect(metricValue(run, 0, 'rtt.p50')).toBeGreaterThan(44.08);
  expect(metricValue(run, 0, 'rtt.p50')).toBeLessThan(45.5);
  expect(metricValue(run, 0, 'loss')).toBe(0);
});

describe('one stream', () => {
  test('through the API and with the bare tool: the same, and what theory says', async () => {
    const ours = metricValue(await seed.measure(stream()), 0, 'throughput');
    const bare = await seed.bareIperf3([]);
    expect(ours / bare).toBeGreaterThan(0.97);
    expect(ours / bare).toBeLessThan(1.03);
    expect(ours / LINK_PAYLOAD_BPS).toBeGreaterThan(0.97);
    expect(ours / LINK_PAYLOAD_BPS).toBeLessThan(1.005);
  });
  test('reverse, the server sends', async () => {
    const ours = metricValue(await seed.measure(stream({ direction: 'reverse' })), 0, 'throughput');
    const bare = await seed.bareIperf3(['-R']);
    expect(ours / bare).toBeGreaterThan(0.97);
    expect(ours / bare).toBeLessThan(1.03);
  });
  test.each([
    ['reno', 0.98],
    ['bbr', 0.93],
  ])('%s without loss reaches the link', async (congestionControl, least) => {
    const run = await seed.reaching(stream({ congestionControl }), least * LINK_PAYLOAD_BPS);
    const share = metricValue(run, 0, 'throughput') / LINK_PAYLOAD_BPS;
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(1.005);
  });
});

// Windows below the path: window-sweep.lab.test.ts; 1 % loss: congestion-control.lab.test.ts.
test('window scaling stripped on the path: 65535 B a round trip', async () => {
  await seed.set(2, undefined, { command: 'wscale', keep: false });
  try {
    const run = await seed.reaching(stream(), 11.2e6);
    const throughput = metricValue(run, 0, 'throughput');
    const ceiling = (65535 * 8) / (metricValue(run, 0, 'rtt.mean') / 1000);
    expect(throughput / ceiling).toBeGreaterThan(0.9);
    expect(throughput).toBeGreaterThan(9e6);
    // 65535 B every 44.08 ms at the most.
    expect(throughput).toBeLessThan(11.9e6);
  } finally {
    await seed.set(2, undefined, { command: 'wscale', keep: true });
  }
});
