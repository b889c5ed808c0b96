import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProbeHost, ThroughputSpec } from '../../index.js';
import { optionOf } from './argv.js';
import { throughputByIperf3 } from './index.js';

const features = 'Optional features available: CPU affinity setting, authentication, bind to device';
const host = (version: string, more: Partial<ProbeHost> = {}): ProbeHost => ({
  tools: {
    iperf3: `iperf ${version} (cJSON 1.7.15)\nLinux a 6.1 x86_64\n${features}`,
    ping: 'ping from iputils 20221126',
  },
  congestionControls: ['reno', 'cubic'],
  root: true,
  ...more,
});
const credentials = { publicKeyPem: 'PUBLIC', privateKeyPem: 'PRIVATE', user: 'u', password: 'very-secret' };
const ends = { near: '192.0.2.1', far: '192.0.2.2' };

function both(raw: unknown, nearVersion: string, farVersion: string) {
  const prepared = throughputByIperf3.prepare(raw);
  const [near, far] = [host(nearVersion), host(farVersion)];
  const answer = prepared.far(far, {
    address: ends.far,
    port: 5301,
    peerAddress: ends.near,
    nearFacts: prepared.nearFacts(near),
    credentials,
    morePorts: [],
  });
  const phases = prepared.near(near, {
    address: ends.near,
    peerAddress: ends.far,
    localPort: 47001,
    peer: answer?.peer,
  });
  const client = phases.find((phase) => phase.name === 'test');
  if (!answer || !client) throw new Error('no server or no client');
  return { server: answer.servers[0], client, phases };
}
const plain = { direction: 'forward', durationS: 10 };

describe('the client', () => {
  test('says everything that the spec says', () => {
    const spec = {
      direction: 'reverse',
      durationS: 20,
      omitS: 3,
      congestionControl: 'cubic',
      windowBytes: 65536,
      mssBytes: 1400,
      dscp: 10,
      rateBps: 50_000_000,
    };
    const { argv } = both(spec, '3.12', '3.12').client;
    expect(argv.slice(0, 9)).toEqual(['iperf3', '-c', ends.far, '-p', '5301', '-B', ends.near, '--cport', '47001']);
    expect(['-t', '-O', '-C', '-w', '-M', '--dscp', '-b'].map((flag) => optionOf(argv, flag))).toEqual([
      '20',
      '3',
      'cubic',
      '65536',
      '1400',
      '10',
      '50000000',
    ]);
    expect(argv).toEqual(expect.arrayContaining(['-J', '-R', '--rcv-timeout']));
  });

  test('several streams share the rate, and the sampler looks at the ports of all', () => {
    const spec = { ...plain, streams: 8, rateBps: 30_000_003 };
    const { client } = both(spec, '3.12', '3.12');
    expect([optionOf(client.argv, '-P'), optionOf(client.argv, '-b')]).toEqual(['8', '3750000']);
    expect(client.sockets).toEqual({ localPort: 47001, lastLocalPort: 47008, peerAddress: ends.far });
    const prepared = throughputByIperf3.prepare(spec);
    expect(prepared.localPorts).toBe(8);
    expect(prepared.ceilings).toMatchObject({ maxStreams: 8, maxRateBps: 30_000_003 });
    const [one, many] = [1, 128].map((streams) => throughputByIperf3.prepare({ ...plain, streams }).longestDurationMs);
    // A round trip for each of them, before the test begins.
    expect((many ?? 0) - (one ?? 0)).toBeGreaterThan(127 * 300);
  });

  test('both directions at once take twice the ports, since 3.12', () => {
    const spec = { direction: 'simultaneous', durationS: 10, streams: 2, rateBps: 1e7 };
    const { client } = both(spec, '3.12', '3.12');
    expect(client.argv).toEqual(expect.arrayContaining(['--bidir', '--rcv-timeout']));
    expect(client.argv).not.toContain('-R');
    expect(client.sockets).toMatchObject({ localPort: 47001, lastLocalPort: 47004 });
    const prepared = throughputByIperf3.prepare(spec);
    expect(prepared.localPorts).toBe(4);
    expect(prepared.ceilings).toMatchObject({ maxStreams: 4, maxRateBps: 2e7 });
    expect(prepared.refuses('near', host('3.11'))).toMatchObject({ reason: 'tool-too-old' });
    expect(prepared.refuses('far', host('3.11'))).toBeUndefined();
  });

  test('says no more than it must', () => {
    const { argv } = both(plain, '3.12', '3.12').client;
    for (const flag of ['-O', '-P', '-R', '-C', '-w', '-M', '--dscp', '-b', '--rcv-timeout'])
      expect(argv).not.toContain(flag);
  });

  test('is preceded by a short baseline, which is missing where ping is', () => {
    expect(both(plain, '3.12', '3.12').phases.map(({ name, optional }) => [name, optional])).toEqual([
      ['baseline', true],
      ['test', undefined],
    ]);
    const prepared = throughputByIperf3.prepare(plain);
    const bare = host('3.12', { tools: { iperf3: 'iperf 3.12' } });
    const peer = { port: 5301, version: '3.12' };
    const input = { address: ends.near, peerAddress: ends.far, localPort: 47001, peer };
    expect(prepared.near(bare, input).map(({ name }) => name)).toEqual(['test']);
  });
});

describe('options by version', () => {
  test.each([
    ['3.9', []],
    ['3.10', ['--idle-timeout', '--rcv-timeout', '--time-skew-threshold']],
    ['3.16', ['--idle-timeout', '--rcv-timeout', '--time-skew-threshold']],
    ['3.21', ['--idle-timeout', '--rcv-timeout', '--time-skew-threshold']],
  ])('a server of %s', (version, flags) => {
    const known = ['--idle-timeout', '--rcv-timeout', '--time-skew-threshold'];
    expect(both(plain, version, version).server.argv.filter((word) => known.includes(word))).toEqual(flags);
  });

  test('keepalives on the control connection from 3.19 on', () => {
    const has = (version: string) =>
      both(plain, version, '3.12').client.argv.some((word) => word.startsWith('--cntl-ka'));
    expect(['3.9', '3.18', '3.19', '3.19.1', '3.21'].map(has)).toEqual([false, false, true, true, true]);
  });

  test.each([
    ['3.12', '3.12', false, false],
    ['3.17', '3.17', false, false],
    ['3.21', '3.17.1', false, false],
    ['3.17', '3.16', true, false],
    ['3.12', '3.21', false, true],
  ])('padding between near %s and far %s', (near, far, nearAsks, farAsks) => {
    const { client, server } = both(plain, near, far);
    expect(client.argv.includes('--use-pkcs1-padding')).toBe(nearAsks);
    expect(server.argv.includes('--use-pkcs1-padding')).toBe(farAsks);
  });
});

describe('credentials', () => {
  test('are in files and in the environment', () => {
    const { client, server } = both(plain, '3.12', '3.12');
    expect(client.env).toEqual({ IPERF3_PASSWORD: 'very-secret' });
    expect(client.files).toEqual({ pub: 'PUBLIC' });
    expect(server.files?.key).toBe('PRIVATE');
    // printf '%s' '{u}very-secret' | sha256sum
    expect(server.files?.users).toBe('u,066934d5e3cc522091cdffaa584fc276ecd7429534e172354c6fd5da72aeaed9\n');
  });

  test('are left out on both ends where one was built without OpenSSL', () => {
    const prepared = throughputByIperf3.prepare(plain);
    const bare = host('3.12', { tools: { iperf3: 'iperf 3.12\nOptional features available: CPU affinity setting' } });
    const input = {
      address: ends.far,
      port: 5301,
      peerAddress: ends.near,
      nearFacts: prepared.nearFacts(bare),
      credentials,
      morePorts: [],
    };
    const answer = prepared.far(host('3.12'), input);
    expect(answer?.servers[0].argv).not.toContain('--rsa-private-key-path');
    expect(answer?.servers[0].files).toBeUndefined();
    expect(JSON.stringify(answer?.peer)).not.toContain('very-secret');
  });

  test('no spec puts a secret into an argv', () => {
    const spec = fc.record({
      direction: fc.constantFrom('forward', 'reverse'),
      durationS: fc.integer({ min: 1, max: 3600 }),
      omitS: fc.integer({ min: 0, max: 60 }),
      congestionControl: fc.option(fc.constantFrom('cubic', 'bbr'), { nil: undefined }),
      windowBytes: fc.option(fc.integer({ min: 1024, max: 2 ** 29 }), { nil: undefined }),
      rateBps: fc.option(fc.integer({ min: 1000, max: 1e12 }), { nil: undefined }),
    });
    const version = fc.constantFrom('3.9', '3.12', '3.17', '3.19', '3.21', 'unknown');
    fc.assert(
      fc.property(spec, version, version, (raw, near, far) => {
        const { client, server, phases } = both(ThroughputSpec.parse(raw), near, far);
        const words = [...server.argv, ...phases.flatMap((phase) => phase.argv)].join(' ');
        expect(words).not.toMatch(/very-secret|PRIVATE|PUBLIC|undefined|NaN/);
        expect(client.timeoutMs).toBeGreaterThan((raw.durationS + raw.omitS) * 1000);
      }),
      { numRuns: 100 },
    );
  });
});

describe('what a host refuses', () => {
  const refuses = (raw: unknown, role: 'near' | 'far', on: ProbeHost) =>
    throughputByIperf3.prepare(raw).refuses(role, on);

  test('a missing and a too old program', () => {
    const bare = { tools: {}, congestionControls: [] };
    expect(refuses(plain, 'far', bare)).toMatchObject({ outcome: 'refused', reason: 'tool-missing' });
    expect(refuses(plain, 'near', host('3.1.3'))).toMatchObject({
      reason: 'tool-too-old',
      detail: expect.stringContaining('3.9'),
    });
    expect(refuses(plain, 'near', host('3.9'))).toBeUndefined();
  });

  test('an algorithm that it cannot run, where it would have to', () => {
    const bbr = { ...plain, congestionControl: 'bbr' };
    const unavailable = { reason: 'congestion-control-unavailable', detail: expect.stringContaining('reno, cubic') };
    expect(refuses(bbr, 'near', host('3.12'))).toMatchObject(unavailable);
    expect(refuses(bbr, 'far', host('3.12'))).toBeUndefined();
    expect(refuses({ ...bbr, direction: 'reverse' }, 'far', host('3.12'))).toMatchObject(unavailable);
  });

  test('an MSS that its version cannot set', () => {
    expect(refuses({ ...plain, mssBytes: 16_000 }, 'near', host('3.20'))).toMatchObject({
      reason: 'parameter-unsupported',
    });
    expect(refuses({ ...plain, mssBytes: 16_000 }, 'near', host('3.21'))).toBeUndefined();
  });
});

test('the data socket is the one of --cport, seen from either end', () => {
  const prepared = throughputByIperf3.prepare(plain);
  const phases = [
    {
      end: 'near' as const,
      name: 'test',
      tool: 'iperf3',
      argv: both(plain, '3.12', '3.12').client.argv,
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
    },
  ];
  const sample = (end: 'near' | 'far', localPort: number, peerPort: number) => ({
    end,
    elapsedMs: 0,
    localAddress: '192.0.2.1',
    localPort,
    peerAddress: '192.0.2.2',
    peerPort,
    state: 'ESTAB',
  });
  expect(prepared.isDataSocket(sample('near', 47001, 5301), phases)).toBe(true);
  expect(prepared.isDataSocket(sample('near', 40000, 5301), phases)).toBe(false);
  expect(prepared.isDataSocket(sample('far', 5301, 47001), phases)).toBe(true);
  expect(prepared.isDataSocket(sample('far', 5301, 40000), phases)).toBe(false);
  expect(prepared.isDataSocket(sample('near', 47001, 5301), [])).toBe(false);
  const several = both({ ...plain, streams: 3 }, '3.12', '3.12').client.argv;
  const of = (end: 'near' | 'far', localPort: number, peerPort: number) =>
    prepared.isDataSocket(sample(end, localPort, peerPort), [{ ...phases[0]!, argv: several }]);
  expect([47000, 47001, 47003, 47004].map((port) => of('near', port, 5301))).toEqual([false, true, true, false]);
  expect([47000, 47001, 47003, 47004].map((port) => of('far', 5301, port))).toEqual([false, true, true, false]);
});
