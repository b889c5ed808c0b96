import { pathOf } from '@plumbline/lab';
import { metricValue } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeedPath } from './seed-path.js';

const RATE_BPS = 1e9;
const RTT_MS = 18;
/** At least one bandwidth-delay product (2.25 MB). */
const DEEP_BYTES = 2_500_000;
const stream = { kind: 'single-stream', congestionControl: 'cubic', durationS: 5, omitS: 2 };

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('gigabit', {
    links: pathOf(RATE_BPS, RTT_MS, DEEP_BYTES),
    committedRateBps: RATE_BPS,
    expectedRttMs: RTT_MS,
  });
  for (const host of ['client', 'server'] as const)
    for (const key of ['tcp_rmem', 'tcp_wmem']) await seed.sysctl(host, `net.ipv4.${key}`, '4096 131072 33554432');
});
afterAll(() => seed?.stop());

test('a queue of one BDP: 93 to 97 % of the IP rate', async () => {
  const run = await seed.reaching(stream, 0.93 * RATE_BPS);
  const share = metricValue(run, 0, 'throughput') / RATE_BPS;
  expect(share).toBeGreaterThan(0.93);
  // 1448 of 1500 bytes are payload.
  expect(share).toBeLessThan(0.97);
});

test('tcp_rmem of 851968 at the receiver: a window of 170/256 of it, and window / RTT is what the flow gets', async () => {
  await seed.sysctl('server', 'net.ipv4.tcp_rmem', '4096 131072 851968');
  try {
    const run = await seed.reaching(stream, 232e6);
    const window = metricValue(run, 0, 'window.max');
    expect(window).toBeGreaterThanOrEqual(564_000);
    expect(window).toBeLessThanOrEqual(566_000);
    expect(metricValue(run, 0, 'throughput')).toBeGreaterThan(232e6);
    expect(metricValue(run, 0, 'throughput')).toBeLessThan(238.5e6);
    expect(metricValue(run, 0, 'limited.receive-window')).toBeGreaterThan(0.3);
  } finally {
    await seed.sysctl('server', 'net.ipv4.tcp_rmem', '4096 131072 33554432');
  }
});

describe('a queue of 150 KB is a limit of its own', () => {
  beforeAll(() => seed.set(2, undefined, { command: 'queue', queueBytes: 150_000 }));

  test('a flow with window to spare gets far less than the link', async () => {
    const run = await seed.measure(stream);
    // CUBIC takes about 10 s from one loss to the next here (RFC 9438 section 4.2: K), so a short draw says no more than this,
    // and may hold no loss at all.
    expect(metricValue(run, 0, 'throughput')).toBeGreaterThan(0.2 * RATE_BPS);
    expect(metricValue(run, 0, 'throughput')).toBeLessThan(0.8 * RATE_BPS);
    expect(metricValue(run, 0, 'limited.receive-window')).toBeLessThan(0.1);
  });

  test.runIf(process.env.PLUMBLINE_FULL)('310 to 370 Mbit/s over 20 s', async () => {
    const run = await seed.reaching({ ...stream, durationS: 20, omitS: 3 }, 310e6);
    expect(metricValue(run, 0, 'throughput')).toBeGreaterThan(310e6);
    expect(metricValue(run, 0, 'throughput')).toBeLessThan(370e6);
  });
});
