import { labExec } from '@plumbline/lab';
import { CounterMovement } from '@plumbline/model';
import { metricValue } from '@plumbline/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { SeedPath } from './seed-path.js';

const Counters = z.object({ near: CounterMovement, far: CounterMovement });

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('record');
});
afterAll(() => seed?.stop());

const onClient = async (...argv: string[]) => {
  const done = await labExec(seed.lab, 'client', argv, { timeoutMs: 10_000 });
  expect(done.stderr.toString()).toBe('');
};
const notesOf = (run: Awaited<ReturnType<SeedPath['measure']>>) =>
  z.array(z.string()).parse(run.legs[0]?.steps[0]?.attempts.at(-1)?.notes);
const countersOf = (run: Awaited<ReturnType<SeedPath['measure']>>) =>
  Counters.parse(run.legs[0]?.steps[0]?.attempts.at(-1)?.counters);

test('drops of the sending host and retransmissions are in the record, each at its end', async () => {
  // 4 Mbit/s, with room for four frames: a flow that fills it loses at its own host. TCP notices at once and sends nothing again.
  const queue = ['rate', '4mbit', 'burst', '3200', 'limit', '6400'];
  await onClient('tc', 'qdisc', 'replace', 'dev', 'wan0', 'root', 'tbf', ...queue);
  // What is lost on the path is sent again.
  await seed.set(2, 'ab', { command: 'loss', ratio: 0.03 });
  try {
    const { near, far } = countersOf(
      await seed.measure({ kind: 'single-stream', durationS: 3, congestionControl: 'cubic' }),
    );
    expect(near.queue?.drops).toBeGreaterThan(0);
    expect(near.tcp?.['Tcp.RetransSegs']).toBeGreaterThan(0);
    const none = {
      rx_errors: 0,
      tx_errors: 0,
      rx_crc_errors: 0,
      rx_fifo_errors: 0,
      rx_missed_errors: 0,
      rx_dropped: 0,
    };
    expect(near.interface).toMatchObject(none);
    expect(far.interface).toMatchObject(none);
    // At least half a megabyte in frames of 1514 B, and an answer to every other.
    expect(far.interface?.rx_packets).toBeGreaterThan(300);
    expect(far.interface?.tx_packets).toBeGreaterThan(100);
    expect(far.tcp?.['Tcp.RetransSegs'] ?? 0).toBeLessThan(near.tcp?.['Tcp.RetransSegs'] ?? 0);
    expect(far.unknown.driver).toMatch(/no stats available/);
  } finally {
    await seed.set(2, 'ab', { command: 'loss', ratio: 0 });
    await onClient('tc', 'qdisc', 'del', 'dev', 'wan0', 'root');
  }
});

test('a capture shows the handshake and the windows, and where window scaling was taken out', async () => {
  const stream = { kind: 'single-stream', durationS: 3, omitS: 1, congestionControl: 'cubic', capture: true };
  const plain = await seed.measure(stream);
  expect(metricValue(plain, 0, 'window-scale.sender')).toBeGreaterThan(0);
  expect(metricValue(plain, 0, 'window-scale.receiver')).toBeGreaterThan(0);
  // What the packets say is what the sender's socket says: the kernel's own view is sampled, so it may miss the peak.
  const advertised = metricValue(plain, 0, 'window.advertised.max');
  expect(advertised / metricValue(plain, 0, 'window.max')).toBeGreaterThan(0.9);
  expect(advertised).toBeGreaterThan(65_535);
  await seed.set(2, undefined, { command: 'wscale', keep: false });
  try {
    const stripped = await seed.measure(stream);
    const step = stripped.legs[0]?.steps[0];
    for (const name of ['window-scale.sender', 'window-scale.receiver'])
      expect(step?.metrics.find((m) => m.name === name)).toMatchObject({ value: null, reason: 'not-offered' });
    expect(metricValue(stripped, 0, 'window.advertised.max')).toBeLessThanOrEqual(65_535);
    expect(notesOf(stripped)).toContainEqual(
      expect.stringMatching(/window scaling was taken out on the path: the SYN left/),
    );
    expect(notesOf(plain)).not.toContainEqual(expect.stringMatching(/window scaling|capture:/));
    await expectHeadersOnly(stripped.id);
  } finally {
    await seed.set(2, undefined, { command: 'wscale', keep: true });
  }
});

const ArtifactList = z.object({
  items: z.array(z.looseObject({ name: z.string(), stream: z.string(), sizeBytes: z.number() })),
});

/** Both ends' captures are there, and no record in them is longer than headers can be: 20 of Linux' cooked link, 20 of IP, 60 of TCP. */
async function expectHeadersOnly(run: string) {
  const attempt = `/v1/runs/${run}/legs/0/steps/0/attempts/0`;
  const { items } = ArtifactList.parse(await seed.product.must('GET', `${attempt}/artifacts`));
  const captures = items.filter(({ stream }) => stream === 'capture');
  expect(captures.map(({ name }) => name).sort()).toEqual([
    'far-capture-tcpdump.capture',
    'near-capture-tcpdump.capture',
  ]);
  for (const { name } of captures) {
    const headers = { authorization: `Bearer ${seed.product.token}` };
    const answer = await fetch(`${seed.product.url}${attempt}/artifacts/${name}`, { headers });
    const lengths = capturedLengths(new DataView(await answer.arrayBuffer()));
    expect(lengths.length).toBeGreaterThan(100);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
  }
}

/** Bytes that a capture holds of each packet (pcap-savefile(5): a header of 24 bytes, and 16 before each packet). */
function capturedLengths(view: DataView): number[] {
  const little = view.getUint8(0) !== 0xa1;
  const lengths: number[] = [];
  // Ends: each turn goes on by at least a record's header.
  for (let at = 24; at + 16 <= view.byteLength; at += 16 + (lengths.at(-1) ?? 0))
    lengths.push(view.getUint32(at + 8, little));
  return lengths;
}
