import { metricValue } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LINK_PAYLOAD_BPS, SeedPath } from './seed-path.js';

const stream = (more: object = {}) => ({
  kind: 'single-stream',
  durationS: 8,
  omitS: 3,
  congestionControl: 'cubic',
  ...more,
});

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('streams');
});
afterAll(() => seed?.stop());

test('rtt: the path takes 44.08 ms and the measured median lies just above', async () => {
  const run = await seed.measure({ kind: 'rtt', count: 15, intervalS: 0.2 });
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

describe('a window is a ceiling', () => {
  test.each([
    [16, 3.4e6],
    [64, 13.4e6],
  ])('%i KiB: window / RTT of the sampled socket', async (kib, about) => {
    const run = await seed.reaching(stream({ windowBytes: kib * 1024, durationS: 6, omitS: 2 }), about * 0.96);
    const throughput = metricValue(run, 0, 'throughput');
    const ceiling = (metricValue(run, 0, 'window.max') * 8) / (metricValue(run, 0, 'rtt.mean') / 1000);
    expect(throughput / ceiling).toBeGreaterThan(0.88);
    expect(throughput / ceiling).toBeLessThan(1.01);
    expect(throughput / about).toBeGreaterThan(0.9);
    expect(throughput / about).toBeLessThan(1.04);
    expect(metricValue(run, 0, 'limited.receive-window')).toBeGreaterThan(0.3);
  });
  test('window scaling stripped on the path: 65535 B a round trip', async () => {
    await seed.set(2, undefined, { command: 'wscale', keep: false });
    try {
      const run = await seed.reaching(stream({ durationS: 6, omitS: 2 }), 11.2e6);
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
});

test('1 % loss costs a cubic stream five sixths of the link, and the retransmits say so', async () => {
  await seed.set(2, 'ab', { command: 'loss', ratio: 0.01 });
  try {
    const run = await seed.measure(stream({ durationS: 15 }));
    // One draw: the response function is an upper bound (timeouts), the scatter of about 150 losses is 4 % (VECTORS.md 3).
    expect(metricValue(run, 0, 'throughput')).toBeGreaterThan(1.6e6);
    expect(metricValue(run, 0, 'throughput')).toBeLessThan(3.6e6);
    expect(metricValue(run, 0, 'retransmits')).toBeGreaterThan(5);
  } finally {
    await seed.set(2, 'ab', { command: 'loss', ratio: 0 });
  }
});
