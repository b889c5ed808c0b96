import { Driver } from '@plumbline/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { SpawnedProbe } from './spawned-probe.js';

/** The real abilities, between two real probes on loopback. */
const [near, far] = [new SpawnedProbe(), new SpawnedProbe()];
let [nearSide, farSide]: Driver[] = [];

beforeAll(async () => {
  await Promise.all([near.start(), far.start()]);
  nearSide = new Driver(near);
  farSide = new Driver(far);
});
afterAll(async () => {
  for (const driver of [nearSide, farSide]) driver?.close();
  await Promise.all([near.close(), far.close()]);
});

const Totals = z.object({ end: z.object({ sum_received: z.object({ bits_per_second: z.number() }) }) });

test('one stream by iperf3 with one-off credentials: both ends keep output and samples, and nothing is left', async () => {
  if (!nearSide || !farSide) throw new Error('no probes');
  const claim = { attemptId: 'stream', legId: 'leg', fence: 1n };
  const specJson = JSON.stringify({ direction: 'forward', durationS: 2, rateBps: 20_000_000 });
  const spec = { kind: 'throughput/iperf3', schemaVersion: 1, specJson };
  const peerFacts = JSON.stringify({ version: '3.12', authentication: true, oaep: false });
  const consent = await farSide.connection.respond({
    claim,
    spec,
    endpoint: 'two',
    peerAddress: '127.0.0.1',
    peerJson: peerFacts,
  });
  const watching = farSide.attach('stream');
  const request = { claim, spec, endpoint: 'one', grant: consent.grant, peerJson: consent.peerJson };
  const heard = await nearSide.hear(nearSide.connection.execute(request));
  expect(heard.finished).toMatchObject({ outcome: 'completed' });
  const { end } = Totals.parse(JSON.parse(heard.artifact('test.stdout')?.toString() ?? ''));
  expect(end.sum_received.bits_per_second / 20e6).toBeGreaterThan(0.9);
  const test = heard.finished?.phases.find((phase) => phase.phase === 'test');
  expect(Number(test?.cpuUserUs ?? -1n)).toBeGreaterThanOrEqual(0);
  // Its secrets are in no argv, on neither side.
  const { password } = z
    .looseObject({ password: z.string() })
    .parse(z.looseObject({ authentication: z.unknown() }).parse(JSON.parse(consent.peerJson)).authentication);
  const server = await watching;
  for (const { finished } of [heard, server])
    expect(JSON.stringify(finished?.phases.map((p) => p.argv))).not.toContain(password);
  expect(server.finished).toMatchObject({ outcome: 'completed' });
  for (const { events, artifact } of [heard, server]) {
    const lines = (artifact('ss')?.toString() ?? '')
      .trim()
      .split('\n')
      .map((line) => z.object({ elapsedMs: z.number(), text: z.string() }).parse(JSON.parse(line)));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.map((line) => line.elapsedMs)).toEqual([...lines].map((line) => line.elapsedMs).sort((a, b) => a - b));
    expect(events.flatMap((e) => (e.event?.$case === 'sample' ? [e.event.value.text] : []))).toEqual(
      lines.map((line) => line.text),
    );
    expect(lines[0]?.text).toMatch(/cwnd:\d+/);
  }
});

test('a client that is refused, because the server is gone, fails as what it is, and the next test works', async () => {
  if (!nearSide || !farSide) throw new Error('no probes');
  const spec = {
    kind: 'throughput/iperf3',
    schemaVersion: 1,
    specJson: JSON.stringify({ direction: 'forward', durationS: 1 }),
  };
  const peerFacts = JSON.stringify({ version: '3.12', authentication: true, oaep: false });
  const claim = { attemptId: 'gone', legId: 'leg', fence: 2n };
  const consent = await farSide.connection.respond({
    claim,
    spec,
    endpoint: 'two',
    peerAddress: '127.0.0.1',
    peerJson: peerFacts,
  });
  await farSide.connection.stop({ attemptId: 'gone', reason: 'cancelled-by-user' });
  const request = { claim, spec, endpoint: 'one', grant: consent.grant, peerJson: consent.peerJson };
  const heard = await nearSide.hear(nearSide.connection.execute(request));
  expect(heard.finished?.outcome).not.toBe('lost');
  expect(heard.artifact('test.stdout')?.toString()).toMatch(/refused/i);
  const rtt = { kind: 'rtt/ping', schemaVersion: 1, specJson: '{"count":3,"intervalS":0.05}' };
  const light = { attemptId: 'echo', legId: 'leg', fence: 3n, shared: true };
  const standing = await farSide.connection.respond({
    claim: light,
    spec: rtt,
    endpoint: 'two',
    peerAddress: '127.0.0.1',
    standing: true,
  });
  const echoes = await nearSide.hear(
    nearSide.connection.execute({
      claim: light,
      spec: rtt,
      endpoint: 'one',
      grant: standing.grant,
      peerJson: standing.peerJson,
    }),
  );
  expect(echoes.finished).toMatchObject({ outcome: 'completed' });
  expect(echoes.artifact('ping.stdout')?.toString()).toContain('3 received');
});
