import { labStart } from '@plumbline/lab';
import type { RunDocument } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SERVER, SeedPath } from './seed-path.js';

/** The largest payload that travels whole over IPv6 too, with IPv4's and UDP's 28 bytes of headers. */
const PAYLOAD_BYTES = 1452;
const HEADERS_BYTES = 28;
/** What 20 Mbit/s of IP bytes carry of payload: 19.62 Mbit/s. */
const BOTTLENECK_BPS = (20e6 * PAYLOAD_BYTES) / (PAYLOAD_BYTES + HEADERS_BYTES);
/** The queue of the bottleneck takes this much payload before anything is lost. */
const QUEUE_BITS = (150_000 * 8 * PAYLOAD_BYTES) / (PAYLOAD_BYTES + HEADERS_BYTES);

/** 22 Mbit/s fill the queue of the bottleneck within 0.5 s; a steady part needs seconds of its own, and in 2 s the path's 44 ms are 2 %. */
const STEP_S = 3;

/** Loss of a load above the bottleneck: drop share = 1 - bottleneck / offered, less what the queue takes in at first. */
const theoryLoss = (offeredBps: number, durationS: number): number =>
  1 - (BOTTLENECK_BPS * durationS + QUEUE_BITS) / (offeredBps * durationS);

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('udp');
});
afterAll(() => seed?.stop());

/** A step's metric of one load, by what was offered. @throws {Error} when there is none */
function ofLoad(run: RunDocument, name: string, offeredBps: number): number {
  const metrics = run.legs[0]?.steps[0]?.metrics ?? [];
  const found = metrics.find((m) => m.name === name && m.labels?.offeredBps === String(offeredBps));
  if (typeof found?.value !== 'number') throw new Error(`no ${name} at ${offeredBps}: ${JSON.stringify(metrics)}`);
  return found.value;
}
const ofStep = (run: RunDocument, name: string) =>
  run.legs[0]?.steps[0]?.metrics.find((m) => m.name === name && m.labels === undefined)?.value ?? Number.NaN;
const offeredRates = (run: RunDocument): number[] =>
  (run.legs[0]?.steps[0]?.attempts ?? []).flatMap(({ cell }) => {
    const { offeredBps } = z.object({ offeredBps: z.string().optional() }).parse(cell ?? {});
    return offeredBps === undefined ? [] : [Number(offeredBps)];
  });

const BareReport = z.object({
  end: z.object({ sum_received: z.object({ bits_per_second: z.number(), lost_percent: z.number() }) }),
});
/** What the bare tool says of the same load on the same path. */
async function bareUdp(rateBps: number, durationS: number) {
  const server = await labStart(seed.lab, 'server', ['iperf3', '-s', '-1', '-p', '5998']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  try {
    const size = ['-l', String(PAYLOAD_BYTES), '-t', String(durationS), '-J'];
    const text = await seed.exec('client', [
      'iperf3',
      '-u',
      '-c',
      SERVER,
      '-p',
      '5998',
      '-b',
      String(rateBps),
      ...size,
    ]);
    return BareReport.parse(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).end.sum_received;
  } finally {
    await server.stop();
  }
}

describe('UDP 30 and 15 Mbit/s', () => {
  test('30: what the bottleneck carries arrives, the rest is lost; halfway down, 15 arrives whole', async () => {
    // The first load is lossy, so the climb goes halfway down: 15, 22.5, ...
    const load = { startRateBps: 30e6, maxRateBps: 30e6, stepRateBps: 30e6, stepDurationS: STEP_S };
    const run = await seed.measure({ kind: 'udp-step-up', ...load }, { forMs: 90_000 });
    expect(offeredRates(run).slice(0, 3)).toEqual([30e6, 15e6, 22.5e6]);
    expect(ofLoad(run, 'loss', 30e6)).toBeGreaterThan(theoryLoss(30e6, STEP_S) - 0.015);
    expect(ofLoad(run, 'loss', 30e6)).toBeLessThan(theoryLoss(30e6, STEP_S) + 0.015);
    expect(ofLoad(run, 'delivered.steady', 30e6) / BOTTLENECK_BPS).toBeGreaterThan(0.98);
    expect(ofLoad(run, 'delivered', 30e6) / BOTTLENECK_BPS).toBeLessThan(1.005);

    expect(ofLoad(run, 'loss', 15e6)).toBe(0);
    expect(ofLoad(run, 'delivered', 15e6)).toBeGreaterThan(14.7e6);
    expect(ofLoad(run, 'delivered', 15e6)).toBeLessThan(15.05e6);
    expect(ofLoad(run, 'jitter', 15e6)).toBeLessThan(1);

    const bare = await bareUdp(30e6, STEP_S);
    expect(ofLoad(run, 'delivered', 30e6) / bare.bits_per_second).toBeGreaterThan(0.97);
    expect(ofLoad(run, 'delivered', 30e6) / bare.bits_per_second).toBeLessThan(1.03);
    expect(Math.abs(ofLoad(run, 'loss', 30e6) - bare.lost_percent / 100)).toBeLessThan(0.02);
  });
});

describe('udp-step-up', () => {
  test('finds the bottleneck from below, keeps to its cap, and stops at the loss', async () => {
    const climb = { startRateBps: 16e6, stepRateBps: 6e6, maxRateBps: 40e6, stepDurationS: STEP_S };
    const run = await seed.measure({ kind: 'udp-step-up', ...climb }, { forMs: 90_000 });
    const rates = offeredRates(run);
    // Nothing above the first lossy load is ever offered.
    expect(rates.slice(0, 3)).toEqual([16e6, 22e6, 19e6]);
    expect(Math.max(...rates)).toBe(22e6);
    const bottleneck = ofStep(run, 'bottleneck-rate');
    expect(bottleneck / BOTTLENECK_BPS).toBeGreaterThan(0.97);
    expect(bottleneck / BOTTLENECK_BPS).toBeLessThan(1.01);
    const clean = ofStep(run, 'highest-clean-rate');
    expect(clean / BOTTLENECK_BPS).toBeGreaterThan(0.93);
    // A load a little above the bottleneck is clean as long as the queue takes it.
    expect(clean).toBeLessThan(BOTTLENECK_BPS + QUEUE_BITS / STEP_S + 0.005 * 22e6);
  });

  test('a payload that the path cannot carry whole is said to be that, and no lossy link', async () => {
    await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1300']);
    try {
      const load = { payloadBytes: PAYLOAD_BYTES, startRateBps: 5e6, maxRateBps: 5e6, stepDurationS: 1 };
      const tests = [{ kind: 'udp-step-up', ...load }];
      const run = await seed.run(tests);
      expect(run.legs[0]?.steps[0]).toMatchObject({ state: 'failed', reason: 'tool-failed' });
      expect(run.legs[0]?.steps[0]?.attempts[0]?.detail).toContain('do not fit');
    } finally {
      await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1500']);
      await seed.exec('client', ['ip', 'route', 'flush', 'cache']);
    }
  });

  test('in reverse, and sized by a lowered MTU so that nothing travels in pieces', async () => {
    await seed.exec('router', ['ip', 'link', 'set', 'wan1', 'mtu', '1300']);
    try {
      const load = { startRateBps: 5e6, maxRateBps: 5e6, stepDurationS: 1, direction: 'reverse' };
      const run = await seed.measure({ kind: 'udp-step-up', ...load });
      const [mtu, udp] = run.legs[0]?.steps[0]?.attempts ?? [];
      expect(mtu).toMatchObject({ startsAt: 'far', outcome: 'completed' });
      expect(mtu?.metrics.find(({ name }) => name === 'path-mtu')?.value).toBe(1300);
      expect(JSON.stringify(udp)).toContain('"-l","1252"');
      expect(ofLoad(run, 'loss', 5e6)).toBe(0);
      expect(ofLoad(run, 'delivered', 5e6) / 5e6).toBeGreaterThan(0.95);
    } finally {
      await seed.exec('router', ['ip', 'link', 'set', 'wan1', 'mtu', '1500']);
    }
  });
});
