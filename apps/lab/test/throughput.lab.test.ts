import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labDown, labSysctl, pathOf } from '../src/index.js';
import { type Bench, makeBench, removeBench, run, sendUdp, set, status, upOn } from './bench.js';

/** One CUBIC stream over 1 Gbit/s and 18 ms, both ends and both emulators on this machine. */
let bench: Bench;

beforeAll(async () => {
  bench = await makeBench('gig');
  await upOn(bench, pathOf(1e9, 18, 2_500_000));
  for (const host of ['client', 'server'] as const)
    for (const key of ['tcp_rmem', 'tcp_wmem'])
      await labSysctl(bench.name, host, `net.ipv4.${key}`, '4096 131072 67108864', { labsDir: bench.labsDir });
});
afterAll(async () => {
  await labDown(bench.name, { labsDir: bench.labsDir });
  await removeBench(bench);
});

async function receivedMbps(): Promise<number> {
  const [, client] = await Promise.all([
    run(bench, 'server', 'iperf3 -s -1'),
    delay(400).then(() => run(bench, 'client', 'iperf3 -c 192.0.2.66 -C cubic -t 4 -O 2 -f m')),
  ]);
  const mbps = Number(/([\d.]+) Mbits\/sec +receiver/.exec(client.stdout.toString())?.[1]);
  if (!Number.isFinite(mbps)) throw new Error(client.error ?? client.stderr.toString());
  return mbps;
}

test('one CUBIC stream reaches 900 Mbit/s at 1 Gbit/s and 18 ms', async () => {
  const rates: number[] = [];
  // The cores may be busy with something else: the best of three.
  while (rates.length < 3 && Math.max(0, ...rates) < 900) rates.push(await receivedMbps());
  const { linkStatus, overruns } = await status(bench);
  const { lateMeanUs, lateMaxUs, droppedMemory } = linkStatus[1]?.stat?.ab ?? {};
  console.log(
    `1 Gbit/s, 18 ms: ${rates.join(', ')} Mbit/s; late ${lateMeanUs} us on average, ${lateMaxUs} at most; ${overruns} overruns`,
  );
  expect(Math.max(...rates)).toBeGreaterThanOrEqual(900);
  // 1448 of 1500 bytes are payload: more than that did not come over this link.
  expect(Math.max(...rates)).toBeLessThan((1000 * 1448) / 1500 + 10);
  expect(droppedMemory).toBe(0);
});

test('1 Gbit/s times 100 ms of packets fit into the emulator', async () => {
  await set(bench, 2, 'ab', 'delay 10s');
  await set(bench, 2, undefined, 'reset');
  const packets = Math.ceil((1e9 * 0.1) / 8 / 1500);
  await sendUdp(bench, 'client', { count: packets, payloadBytes: 1472, packetsPerSecond: 0 });
  await delay(100);
  const { ab } = (await status(bench)).linkStatus[1]?.stat ?? {};
  expect(ab).toMatchObject({ droppedMemory: 0, droppedQueue: 0, delivered: 0 });
  expect(ab?.inFlightPackets).toBeGreaterThanOrEqual(packets);
});
