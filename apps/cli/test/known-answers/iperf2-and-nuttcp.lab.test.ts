import { labExec, labStart } from '@plumbline/lab';
import { metricValue, type RunDocument } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENT, LINK_PAYLOAD_BPS, SERVER, SeedPath } from './seed-path.js';

const MSS_BYTES = 1448;
/** IPv4, TCP and its timestamps. */
const HEADER_BYTES = 52;

const full = process.env.PLUMBLINE_FULL !== undefined;

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('tools');
  // Neither program is told which to use, and hosts differ in their default.
  await byRoute('client', SERVER, 'cubic');
  await byRoute('server', CLIENT, 'cubic');
});
afterAll(() => seed?.stop());

/** Connections from there to that address have this congestion control unless they choose another (ip-route(8), congctl). */
async function byRoute(host: 'client' | 'server', to: string, algorithm: string): Promise<void> {
  const way = (await labExec(seed.lab, host, ['ip', '-o', 'route', 'get', to])).stdout.toString();
  const [, via = '', device = ''] = / via (\S+) dev (\S+)/.exec(way) ?? [];
  const route = ['ip', 'route', 'replace', to, 'via', via, 'dev', device, 'congctl', algorithm];
  const made = await labExec(seed.lab, host, route);
  if (made.exitCode !== 0) throw new Error(`${route.join(' ')}: ${made.stderr}`);
}

/** A bare client against a bare server on the same path. @returns what the client printed */
async function bare(server: readonly string[], client: readonly string[]): Promise<string> {
  const running = await labStart(seed.lab, 'server', server);
  await new Promise((resolve) => setTimeout(resolve, 300));
  try {
    return (await labExec(seed.lab, 'client', client, { timeoutMs: 30_000 })).stdout.toString();
  } finally {
    await running.stop();
  }
}

/**
 * How long a request and its reply of that size take, when each is sent at once: 22 ms each way, all bytes through the link of
 * 20 Mbit/s, and through that of 100 Mbit/s the first packet on the way there, the last on the way back.
 */
function transactionMs(sizeBytes: number): number {
  const segments = Math.ceil(sizeBytes / MSS_BYTES);
  const lastBytes = sizeBytes - (segments - 1) * MSS_BYTES + HEADER_BYTES;
  const firstBytes = Math.min(sizeBytes, MSS_BYTES) + HEADER_BYTES;
  const slowMs = ((sizeBytes + segments * HEADER_BYTES) * 8) / 20e3;
  return 2 * (22 + slowMs) + ((firstBytes + lastBytes) * 8) / 100e3;
}

async function bareTransactions(sizeBytes: number, durationS: number): Promise<number> {
  const printed = await bare(
    ['iperf', '-s', '-p', '5998'],
    [
      'iperf',
      '-c',
      SERVER,
      '-p',
      '5998',
      '-e',
      '--bounceback',
      '--bounceback-period',
      '0',
      '-l',
      String(sizeBytes),
    ].concat(['-t', String(durationS)]),
  );
  const [, seconds, count] = /0\.0000-([\d.]+) sec .* (\d+)=[\d.]+\/[\d.]+\//.exec(printed) ?? [];
  return Number(count) / Number(seconds);
}

describe('bounceback, back to back', () => {
  const durationS = full ? 10 : 5;

  test.each([
    [100, 22, 22.7],
    [65_536, 9.7, 10.2],
  ])(
    '%d bytes: one transaction at a time, as theory says and as the bare tool counts',
    async (sizeBytes, least, most) => {
      const theory = 1000 / transactionMs(sizeBytes);
      expect(theory).toBeGreaterThan(least);
      expect(theory).toBeLessThan(most);
      const bounceback = { kind: 'bounceback', requestBytes: sizeBytes, durationS };
      // Of the middle one: a busy machine holds up some, and the first ones of 64 KB wait for the window to grow.
      const run = await seed.until(bounceback, (r) => 1000 / metricValue(r, 0, 'latency.p50') > least);
      const ours = metricValue(run, 0, 'transactions-per-second');
      expect(1000 / metricValue(run, 0, 'latency.p50')).toBeGreaterThan(least);
      expect(metricValue(run, 0, 'latency.min')).toBeGreaterThan(0.999 * transactionMs(sizeBytes));
      expect(ours).toBeLessThan(Math.min(most, 1.005 * theory));
      // Connecting is in the time of iperf 2: a round trip of 44 ms.
      expect((ours * metricValue(run, 0, 'latency.mean')) / 1000).toBeGreaterThan(0.97);
      expect((ours * metricValue(run, 0, 'latency.mean')) / 1000).toBeLessThan(1.005);
      if (full) expect(ours).toBeGreaterThan(least);
      let there = await bareTransactions(sizeBytes, durationS);
      // A busy moment slows either of them down. Ends after the third.
      for (let tries = 1; tries < 3 && Math.abs(ours / there - 1) > 0.03; tries += 1)
        there = await bareTransactions(sizeBytes, durationS);
      expect(ours / there).toBeGreaterThan(0.97);
      expect(ours / there).toBeLessThan(1.03);
      expect(metricValue(run, 0, 'ratio-to-rtt')).toBeGreaterThan(0.99);
    },
  );
});

test('under load a transaction waits in the queue of 60 ms, and the link is full', async () => {
  const run = await seed.measure({ kind: 'bounceback', underLoad: true, durationS: 4 });
  const value = (name: string) => metricValue(run, 0, name);
  const idleMs = transactionMs(100);
  expect(value('latency.idle')).toBeGreaterThan(0.999 * idleMs);
  expect(value('latency.idle')).toBeLessThan(1.05 * idleMs);
  expect(value('ratio-to-idle')).toBeGreaterThan(1.3);
  expect(value('latency.p50')).toBeLessThan(idleMs + 60 + 3);
  expect(value('responsiveness')).toBeCloseTo(60_000 / value('latency.mean'), 6);
  expect(value('transactions-per-second')).toBeLessThan(1000 / idleMs / 1.3);
  expect(value('load.throughput') / LINK_PAYLOAD_BPS).toBeGreaterThan(0.85);
  expect(value('load.throughput') / LINK_PAYLOAD_BPS).toBeLessThan(1.01);
});

test('nuttcp, a second opinion: as the bare tool, as iperf3, and the same in reverse', async () => {
  const stream = { kind: 'single-stream', durationS: 4 };
  const tests = [
    { ...stream, tool: 'nuttcp', direction: 'both' },
    { ...stream, direction: 'forward' },
  ];
  const run = await seed.run(tests);
  expect(run.state).toBe('succeeded');
  const [forward, reverse] = ['forward', 'reverse'].map((direction) => throughputOf(run, direction));
  const iperf3 = metricValue(run, 1, 'throughput');
  const printed = await bare(
    ['nuttcp', '-1', '-P', '5996', '--nofork'],
    ['nuttcp', '-P', '5996', '-p', '5997', '-T', '4', '-i', '1', '-fparse', '-t', SERVER],
  );
  const there = Number(/real_seconds=.* rate_Mbps=([\d.]+)/.exec(printed)?.[1]) * 1e6;
  for (const other of [there, iperf3, reverse]) {
    expect((forward ?? Number.NaN) / (other ?? Number.NaN)).toBeGreaterThan(0.97);
    expect((forward ?? Number.NaN) / (other ?? Number.NaN)).toBeLessThan(1.03);
  }
  expect((forward ?? Number.NaN) / LINK_PAYLOAD_BPS).toBeLessThan(1.005);
});

function throughputOf(run: RunDocument, direction: string): number {
  const found = run.legs[0]?.steps[0]?.metrics.find(
    (m) => m.name === 'throughput' && m.labels?.direction === direction,
  );
  return found?.value ?? Number.NaN;
}
