import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { throughputByIperf3 } from '../iperf3/index.js';
import { EndCapture } from './read.js';

const host = {
  tools: { iperf3: 'iperf 3.12 (cJSON 1.7.15)', ping: 'ping from iputils 20221126' },
  congestionControls: ['cubic'],
};
const credentials = { publicKeyPem: '', privateKeyPem: '', user: '', password: '' };
const [near, far] = ['192.0.2.1', '192.0.2.66'];

const prepared = (more: object = {}) => throughputByIperf3.prepare({ direction: 'forward', durationS: 5, ...more });
const farOf = (spec: object = {}) =>
  prepared(spec).far(host, {
    address: far,
    port: 5301,
    morePorts: [],
    peerAddress: near,
    nearFacts: prepared().nearFacts(host),
    credentials,
  });
const nearOf = (spec: object = {}) =>
  prepared(spec).near(host, {
    address: near,
    interface: 'wan0',
    peerAddress: far,
    localPort: 37018,
    peer: { port: 5301, version: '3.12' },
  });

describe('beside the test', () => {
  test('at the near end once the baseline is over, at the far end before the server', () => {
    const phases = nearOf({ capture: true });
    expect(phases.map(({ name, optional = false }) => [name, optional])).toEqual([
      ['baseline', true],
      ['capture', true],
      ['test', false],
    ]);
    expect(phases[1]?.argv.at(-1)).toBe('host 192.0.2.66 and tcp port 37018');
    expect(phases[1]?.beside).toMatchObject({ readyText: 'listening on' });
    const [companion] = farOf({ capture: true })?.companions ?? [];
    expect(companion).toMatchObject({ tool: 'tcpdump', optional: true, capture: true });
    expect(companion?.argv.at(-1)).toBe('host 192.0.2.1 and tcp port 5301');
  });
  test('not of both directions at once, which the notes say', () => {
    const both = { capture: true, direction: 'simultaneous' };
    expect(nearOf(both).map(({ name }) => name)).not.toContain('capture');
    expect(farOf(both)?.companions).toBeUndefined();
    const reading = readWith([], 'simultaneous');
    expect(readingOf(reading, 'window-scale.sender')).toBe('not-measured-here');
    expect(reading.notes).toContainEqual(expect.stringMatching(/capture: of one direction at a time/));
  });
  test('only where it is asked for, and then it may take longer', () => {
    expect(nearOf().map(({ name }) => name)).toEqual(['baseline', 'test']);
    expect(farOf()?.companions).toBeUndefined();
    expect(prepared({ capture: true }).longestDurationMs).toBeGreaterThan(prepared().longestDurationMs);
  });
});

const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(`./fixtures/${name}.pcap`, import.meta.url)));
const captured = (end: 'near' | 'far', more: Partial<PhaseOutput> = {}): PhaseOutput => ({
  ...{ end, name: 'capture', tool: 'tcpdump', argv: [], exitCode: 0, signal: null, stdout: '', stderr: '' },
  ...more,
});
function readWith(phases: readonly PhaseOutput[], direction = 'forward'): Reading {
  const output: AttemptOutput = { phases, samples: [], snapshots: {}, ending: { outcome: 'completed' } };
  return prepared({ capture: true, direction }).read(output);
}
const readingOf = (reading: Reading, name: string) => {
  const found = reading.metrics.find((metric) => metric.name === name);
  return found?.value ?? found?.reason;
};

describe('what is read', () => {
  const plain = bytesOf('4.99.3-plain');
  const stripped = bytesOf('4.99.3-wscale-stripped');

  test('shifts, and the windows that the receiver advertised', () => {
    const both = readWith([captured('near', { capture: plain }), captured('far', { capture: plain })]);
    expect(readingOf(both, 'window-scale.sender')).toBe(10);
    expect(readingOf(both, 'window-scale.receiver')).toBe(10);
    expect(readingOf(both, 'window.advertised.max')).toBeGreaterThan(65_535);
    expect(both.notes.filter((note) => note.includes('capture'))).toEqual([]);
    // The other way round the client receives: its windows are other ones.
    const reverse = readWith([captured('near', { capture: plain })], 'reverse');
    expect(readingOf(reverse, 'window.advertised.max')).not.toBe(readingOf(both, 'window.advertised.max'));
  });

  test('an offer that left one end and did not come to the other', () => {
    const lost = readWith([captured('near', { capture: plain }), captured('far', { capture: withoutScale(plain) })]);
    expect(readingOf(lost, 'window-scale.sender')).toBe('not-offered');
    expect(lost.notes).toContainEqual(
      expect.stringMatching(
        /taken out on the path: the SYN left the sender with a shift of 10 and came to the receiver without/,
      ),
    );
  });

  test('of one end alone: what is missing, without saying who took it', () => {
    const reading = readWith([captured('near', { capture: stripped })]);
    expect(readingOf(reading, 'window-scale.receiver')).toBe('not-offered');
    expect(readingOf(reading, 'window.advertised.max')).toBeLessThanOrEqual(65_535);
    expect(reading.notes).toContainEqual('far capture: it was not begun');
    expect(reading.notes).not.toContainEqual(expect.stringMatching(/taken out/));
  });

  test('an end that offers nothing is named', () => {
    const reading = readWith([captured('near', { capture: withoutScale(plain) })]);
    expect(reading.notes).toContainEqual(expect.stringMatching(/^the sender offered no window scaling/));
  });
});

describe('without a capture the test goes on, and says why there is none', () => {
  // tcpdump 4.99.3, pcap_activate's texts; setpriv's own when it cannot start a program.
  test.each([
    [
      'no right',
      {
        exitCode: 1,
        stderr:
          "tcpdump: wan0: You don't have permission to capture on that device\n(socket: Operation not permitted)\n",
      },
      /You don't have permission to capture/,
    ],
    [
      'no interface',
      { exitCode: 1, stderr: 'tcpdump: wan0: No such device exists\n(SIOCGIFHWADDR: No such device)\n' },
      /No such device exists/,
    ],
    ['no program', { exitCode: null }, /install the package tcpdump/],
    [
      'no program, as setpriv says it',
      { exitCode: 127, stderr: 'setpriv: failed to execute tcpdump: No such file or directory\n' },
      /install the package tcpdump/,
    ],
    ['another file', { capture: new Uint8Array(30) }, /no pcap file/],
  ])('%s', (_name, more, why) => {
    const reading = readWith([captured('near', more), captured('far', more)]);
    for (const name of [
      'window-scale.sender',
      'window-scale.receiver',
      'window.advertised.min',
      'window.advertised.max',
    ])
      expect(readingOf(reading, name)).toBe('not-measured-here');
    expect(reading.notes).toContainEqual(expect.stringMatching(why));
    expect(reading.notes.some((note) => note.startsWith('near capture: '))).toBe(true);
  });

  test('dropped packets are said', () => {
    const stderr =
      'tcpdump: listening on wan0\n10 packets captured\n12 packets received by filter\n2 packets dropped by kernel\n';
    const capture = bytesOf('4.99.3-plain');
    const reading = readWith([captured('near', { capture, stderr }), captured('far', { capture })]);
    expect(reading.notes).toContain('near capture: the kernel dropped 2 packets before tcpdump could read them');
  });
});

test('a result keeps what each end captured', () => {
  const text = readFileSync(new URL('../iperf3/fixtures/3.12-forward.json', import.meta.url), 'utf8');
  const test: PhaseOutput = { ...captured('near'), name: 'test', tool: 'iperf3', stdout: text };
  const { result } = readWith([test, captured('near', { capture: bytesOf('4.99.3-plain') })]);
  const sender = EndCapture.parse((result as { captures: { sender: unknown } }).captures.sender);
  expect(sender).toMatchObject({ whole: true, connection: { scaling: 'both' } });
});

/** The capture with every window-scale option (kind 3, length 3) overwritten by no-operations, as a middlebox does. */
function withoutScale(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  for (let i = 0; i + 2 < changed.length; i++)
    if (changed[i] === 3 && changed[i + 1] === 3 && changed[i + 2] === 10) changed.fill(1, i, i + 3);
  return changed;
}
