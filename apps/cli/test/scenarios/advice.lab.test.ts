import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Advice } from '@plumbline/model';
import { metricValue, type RunDocument } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LaidPath, SeedPath } from '../known-answers/seed-path.js';

/**
 * The advice is followed to the letter and the flow measured again: it has to reach what the next limit allows. Only keys that
 * a namespace owns can be tried: net.core.* and the qdisc belong to the host, whose values no test changes (and there is no fq
 * here), so for those the text alone is checked, in libs/analysis/src/tuning/advise.test.ts.
 */
const RATE_BPS = 60e6;
const RTT_MS = 30;
/** 60 Mbit/s of IP bytes as payload. */
const LINK_PAYLOAD_BPS = (RATE_BPS * 1448) / 1500;

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('advice');
});
afterAll(() => seed?.stop());

const links = (queueBytes = 400_000): LaidPath['links'] => ({
  link1: { rateBps: 2e9, delayMs: 1, queueBytes: 4_000_000, lossRatio: 0 },
  link2: { rateBps: RATE_BPS, delayMs: RTT_MS / 2 - 1, queueBytes, lossRatio: 0 },
});
const promises = { committedRateBps: RATE_BPS, expectedRttMs: RTT_MS };
/** No algorithm of its own: the host's is what the advice is about. */
const STREAM = { kind: 'single-stream', durationS: 3, omitS: 1 };
const throughput = (run: RunDocument) => metricValue(run, 0, 'throughput');

const HOST = { source: 'client', destination: 'server' } as const;

async function adviceOn(run: RunDocument): Promise<Advice> {
  return Advice.parse(await seed.product.must('GET', `/v1/runs/${run.id}/legs/0/advice`));
}

/** Gives each host the file as it stands, inside its own namespace. */
async function follow({ hosts }: Advice): Promise<void> {
  for (const { end, file } of hosts) {
    if (!file) continue;
    const path = join(tmpdir(), `plumb-advice-${process.pid}-${end}.conf`);
    writeFileSync(path, file.text);
    try {
      expect(readFileSync(path, 'utf8')).toBe(file.text);
      await seed.exec(HOST[end], ['sysctl', '-p', path]);
    } finally {
      rmSync(path);
    }
  }
  await seed.forgetPaths();
}

const valuesOf = (advice: Advice): Promise<string[]> =>
  Promise.all(
    advice.hosts.flatMap(({ end, changes }) =>
      changes.map(async ({ key }) => (await seed.exec(HOST[end], ['sysctl', '-n', key])).trim().replace(/\s+/g, ' ')),
    ),
  );

/** Its commands but for the file's own, which was never installed there. */
async function undo({ hosts }: Advice): Promise<void> {
  for (const { end, undo: commands } of hosts)
    for (const command of commands.filter((each) => each.startsWith('sysctl')))
      await seed.exec(HOST[end], ['sh', '-c', command]);
}

describe('advice that is followed', () => {
  test.each([
    {
      name: 'receiver window',
      path: { sysctls: [{ host: 'server', key: 'net.ipv4.tcp_rmem', value: '4096 65536 98304' }] },
      keys: [['destination', 'net.ipv4.tcp_rmem']],
    },
    {
      name: 'sender buffer',
      path: { sysctls: [{ host: 'client', key: 'net.ipv4.tcp_wmem', value: '4096 16384 98304' }] },
      keys: [['source', 'net.ipv4.tcp_wmem']],
    },
    {
      name: 'window scaling switched off',
      path: { sysctls: [{ host: 'server', key: 'net.ipv4.tcp_window_scaling', value: '0' }] },
      keys: [['destination', 'net.ipv4.tcp_window_scaling']],
    },
    {
      name: 'a loss-based algorithm on a lossy path',
      path: {
        sysctls: [{ host: 'client', key: 'net.ipv4.tcp_congestion_control', value: 'reno' }],
        more: [{ link: 2, side: 'ab', command: { command: 'loss', ratio: 0.005 } }],
      },
      keys: [['source', 'net.ipv4.tcp_congestion_control']],
    },
  ] as const)('$name', async ({ name, path, keys }) => {
    await seed.lay({ links: links(), promises, ...path });
    const before = await seed.measure(STREAM);
    const advice = await adviceOn(before);
    const found = advice.hosts.flatMap(({ end, changes }) => changes.map(({ key }) => [end, key]));
    for (const key of keys) expect(found).toContainEqual(key);
    expect(throughput(before)).toBeLessThan(0.7 * LINK_PAYLOAD_BPS);

    const were = await valuesOf(advice);
    await follow(advice);
    expect(await valuesOf(advice)).not.toEqual(were);
    const after = await seed.reaching(STREAM, 0.9 * LINK_PAYLOAD_BPS);
    console.log(
      `${name}: ${(throughput(before) / 1e6).toFixed(1)} -> ${(throughput(after) / 1e6).toFixed(1)} of ${(LINK_PAYLOAD_BPS / 1e6).toFixed(1)} Mbit/s`,
    );
    // The next limit is the link.
    expect(throughput(after)).toBeGreaterThan(0.9 * LINK_PAYLOAD_BPS);
    // Nothing is left to advise but that the link is what it is.
    expect((await adviceOn(after)).hosts.flatMap(({ changes }) => changes)).toEqual([]);

    await undo(advice);
    expect(await valuesOf(advice)).toEqual(were);
  });
});
