import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { askEmulator, readLinkStat } from '../src/emulator-control.js';
import { labDown, labLay } from '../src/index.js';
import {
  type Bench,
  capture,
  expectBinomial,
  makeBench,
  median,
  removeBench,
  run,
  sendUdp,
  set,
  status,
  upOn,
} from './bench.js';
import { numbered, windowScaleOffers } from './pcap.js';

/** What a link can do to packets besides delaying them, seen in captures at the server. */
let bench: Bench;
const PORT = 9;
/** How many entries of a direction's status are settings; counters come after them. */
const SETTINGS = 14;
const LINK = { rateBps: 1e9, delayMs: 1, queueBytes: 4_000_000 };

beforeAll(async () => {
  bench = await makeBench('imp');
  await upOn(bench, { link1: LINK, link2: LINK, mtuBytes: 9000 });
  await run(bench, 'client', 'ping -c 2 -i 0.2 192.0.2.66');
});
afterEach(() => labLay(bench.name, { link1: LINK, link2: LINK }, { labsDir: bench.labsDir }));
afterAll(async () => {
  await labDown(bench.name, { labsDir: bench.labsDir });
  await removeBench(bench);
});

async function arrivals(count: number, payloadBytes: number, packetsPerSecond: number) {
  const at = await capture(bench, 'server', 'wan0', 'in');
  await sendUdp(bench, 'client', { port: PORT, count, payloadBytes, packetsPerSecond });
  await delay(100);
  return numbered(await at.stop(), PORT);
}

test('a path that is laid anew has nothing of what was set before', async () => {
  const both = async () => {
    const { ab, ba } = await readLinkStat(join(bench.labsDir, bench.name, 'link2.sock'));
    return [ab, ba].map((direction) => Object.entries(direction).slice(0, SETTINGS));
  };
  const asNew = await both();
  for (const words of ['rate 5M', 'delay 9ms', 'queue 9KB', 'queuetime 9ms', 'loss 9%', 'dup 9%', 'reorder 9% 9ms'])
    await set(bench, 2, undefined, words);
  for (const words of ['policer 9M 9KB', 'flowrate 9M', 'maxlen 900', 'wscale strip', 'down'])
    await set(bench, 2, undefined, words);
  for (const [i, each] of (await both()).entries())
    for (const entry of each) expect(asNew[i]).not.toContainEqual(entry);
  await labLay(bench.name, { link1: LINK, link2: LINK }, { labsDir: bench.labsDir });
  expect(await both()).toEqual(asNew);
});

test('duplicates come twice, as often as asked', async () => {
  await set(bench, 2, 'ab', 'dup 5%');
  const arrived = await arrivals(2000, 64, 4000);
  const twice = arrived.length - new Set(arrived.map(({ sequence }) => sequence)).size;
  expect(new Set(arrived.map(({ sequence }) => sequence)).size).toBe(2000);
  expect(expectBinomial(twice, 2000, 0.05)).toMatchObject({ holds: true });
});

test('a reordered packet is held back by the extra delay and overtaken; none is lost', async () => {
  await set(bench, 2, 'ab', 'reorder 10% 20ms');
  const arrived = await arrivals(1000, 64, 1000);
  let highest = -1;
  const overtaken = arrived.filter(({ sequence }) => {
    const late = sequence < highest;
    highest = Math.max(highest, sequence);
    return late;
  });
  const inOrder = arrived.filter((packet) => !overtaken.includes(packet));
  const heldMs = overtaken.map(({ sequence, timeMs }) => {
    const next = inOrder.find((packet) => packet.sequence > sequence);
    return next ? timeMs - next.timeMs : 20;
  });
  expect(arrived).toHaveLength(1000);
  // One that is held back at the very end has nobody left to overtake it.
  expect(expectBinomial(overtaken.length, 1000, 0.1)).toMatchObject({ holds: true });
  expect(median(heldMs)).toBeGreaterThan(15);
  expect(median(heldMs)).toBeLessThan(22);
});

test('a policer passes its burst at once and its rate from then on, and delays nothing', async () => {
  // The bucket takes 2.4 s to fill again: a sender that is held up for a moment leaves no tokens unused.
  await set(bench, 2, 'ab', 'policer 1M 300KB');
  const arrived = await arrivals(1600, 1472, 900);
  const durationS = ((arrived.at(-1)?.timeMs ?? 0) - (arrived[0]?.timeMs ?? 0)) / 1000;
  const passed = arrived.reduce((sum, packet) => sum + packet.ipBytes, 0);
  const allowed = 300_000 + (1e6 / 8) * durationS;
  expect(arrived[198]?.sequence).toBe(198);
  expect(durationS).toBeGreaterThan(1.5);
  expect(passed / allowed).toBeGreaterThan(0.98);
  expect(passed / allowed).toBeLessThan(1.005);
  const { ab } = (await status(bench)).linkStatus[1]?.stat ?? {};
  expect(ab).toMatchObject({ droppedPolicer: 1600 - arrived.length, droppedQueue: 0 });
});

test('each flow leaves at its own rate at most, whatever the others do, and waits before it is dropped', async () => {
  await set(bench, 2, 'ab', 'queue 30KB');
  await set(bench, 2, 'ab', 'flowrate 2M');
  const at = await capture(bench, 'server', 'wan0', 'in');
  const send = (port: number) =>
    sendUdp(bench, 'client', { port, count: 500, payloadBytes: 1472, packetsPerSecond: 400 });
  await Promise.all([send(PORT), send(PORT + 1)]);
  await delay(200);
  const captured = await at.stop();
  for (const port of [PORT, PORT + 1]) {
    const arrived = numbered(captured, port);
    const [first, last] = [arrived[0]?.timeMs ?? 0, arrived.at(-1)?.timeMs ?? 0];
    const bits = arrived.slice(1).reduce((sum, packet) => sum + packet.ipBytes * 8, 0);
    expect(bits / ((last - first) / 1000) / 2e6).toBeGreaterThan(0.97);
    expect(bits / ((last - first) / 1000) / 2e6).toBeLessThan(1.03);
    // What waits is served in order: the first twenty find room.
    expect(arrived[19]?.sequence).toBe(19);
    expect(arrived.length).toBeLessThan(300);
  }
});

test('packets longer than the limit vanish without a word; the MTU still allows them', async () => {
  const ping = async (ipSize: number) => {
    const { stdout } = await run(bench, 'client', `ping -c 1 -W 1 -M do -s ${ipSize - 28} 192.0.2.66`);
    return stdout.toString();
  };
  expect(await ping(9000)).toContain('1 received');
  await set(bench, 2, 'ab', 'maxlen 1400');
  expect(await ping(1400)).toContain('1 received');
  const tooLong = await ping(1401);
  expect(tooLong).toContain('0 received');
  expect(tooLong).not.toMatch(/unreachable|too long|Frag/i);
  expect((await status(bench)).linkStatus[1]?.stat?.ab.droppedLong).toBeGreaterThanOrEqual(1);
});

test.each(['192.0.2.66', '2001:db8:0:2::2'])(
  'window scaling is taken out of the handshake and TCP still connects: %s',
  async (address) => {
    await set(bench, 2, undefined, 'wscale strip');
    const left = await capture(bench, 'client', 'wan0', 'out');
    const arrived = await capture(bench, 'server', 'wan0', 'in');
    const [server, client] = await Promise.all([
      run(bench, 'server', 'iperf3 -s -1'),
      delay(400).then(() => run(bench, 'client', `iperf3 -c ${address} -n 100K`)),
    ]);
    const offered = windowScaleOffers(await left.stop()).filter(({ ack }) => !ack);
    const received = windowScaleOffers(await arrived.stop()).filter(({ ack }) => !ack);
    expect([client.exitCode, server.exitCode]).toEqual([0, 0]);
    expect(offered).toEqual([
      { ack: false, scale: true },
      { ack: false, scale: true },
    ]);
    expect(received).toEqual([
      { ack: false, scale: false },
      { ack: false, scale: false },
    ]);
  },
);

test('a link that is down carries nothing, and carries again when it is up', async () => {
  await set(bench, 2, undefined, 'down');
  expect((await run(bench, 'client', 'ping -c 2 -i 0.2 -W 1 192.0.2.66')).stdout.toString()).toContain(' 0 received');
  await set(bench, 2, undefined, 'up');
  expect((await run(bench, 'client', 'ping -c 2 -i 0.2 -W 2 192.0.2.66')).stdout.toString()).toContain('2 received');
});

test('a queue limited in time holds no more than leaves in that time', async () => {
  await set(bench, 2, 'ab', 'rate 100k');
  await set(bench, 2, 'ab', 'queuetime 3s');
  const after = await capture(bench, 'server', 'wan0', 'in');
  const start = performance.now();
  await sendUdp(bench, 'client', { port: PORT, count: 100, payloadBytes: 1472, packetsPerSecond: 0 });
  await delay(100);
  const servedMeanwhile = (performance.now() - start) / 120;
  for (const words of ['rate 1G', 'queuetime 0']) await set(bench, 2, 'ab', words);
  await delay(100);
  const arrived = numbered(await after.stop(), PORT);
  // 3 s at 100 kbit/s are 25 packets of 1500 bytes; one more for each 120 ms until it was let go.
  expect(arrived.length).toBeGreaterThanOrEqual(25);
  expect(arrived.length).toBeLessThanOrEqual(25 + Math.ceil(servedMeanwhile));
});

test.each([
  ['rate 0', /a rate is from 1 kbit\/s/],
  ['delay 11s', /a time is from 0 to 10 s/],
  ['queue 33MiB', /a queue is from 0 to 32 MiB/],
  ['speed 1G', /is no command of a link/],
])('the link refuses %s with a sentence and stays as it is', async (words, sentence) => {
  const before = (await status(bench)).linkStatus[1]?.stat?.ab.rateBps;
  await expect(set(bench, 2, undefined, words)).rejects.toThrow(sentence);
  await expect(set(bench, 2, undefined, words)).rejects.toMatchObject({ code: 'command-refused' });
  expect((await status(bench)).linkStatus[1]?.stat?.ab.rateBps).toBe(before);
});

test.each([
  ['speed 1', 'unknown command: speed'],
  ['rate fast', 'not a number: fast'],
  ['rate 1e999', 'not a number: 1e999'],
  ['rate 1000000 2', 'rate takes 1 value, not 2'],
  ['reorder 0.1', 'reorder takes 2 values, not 1'],
  ['ab', 'a command is missing after: ab'],
  ['ba loss -0.1', 'loss: a ratio is from 0 to 1'],
  ['seed -1', 'seed: a seed is from 0 to 4294967295'],
  ['a b c d e f', 'too many words: f'],
])('the emulator itself answers %j with a sentence', async (line, sentence) => {
  const socket = join(bench.labsDir, bench.name, 'link2.sock');
  await expect(askEmulator(socket, line)).rejects.toMatchObject({ code: 'command-refused', message: sentence });
});

test('a line without end is hung up on, and the next one is served', async () => {
  const socket = join(bench.labsDir, bench.name, 'link2.sock');
  await expect(askEmulator(socket, 'x'.repeat(300))).rejects.toMatchObject({ code: 'emulator-failed' });
  expect((await readLinkStat(socket)).ab.rateBps).toBe(1e9);
});
