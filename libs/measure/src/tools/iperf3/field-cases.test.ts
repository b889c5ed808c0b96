import { readFileSync } from 'node:fs';
import { ended, REASONS } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { ThroughputResult, ThroughputSpec } from '../../measurements/throughput/index.js';
import { expectSound, outputOf, type Recording, valueIn } from '../../test-support/reading.js';
import { classify } from './classify.js';
import { readDocument } from './document.js';
import { parseObject } from './json.js';
import { read } from './read.js';

/*
 * Problems that users of iperf3 met in public (docs/field-cases.md), each with its whole kind. Texts of versions that do not run
 * here are changed fixtures, whose `source` names the file and the tag that their form comes from.
 */
type Program = Pick<PhaseOutput, 'argv' | 'exitCode' | 'signal' | 'stdout' | 'stderr'>;
type Json = Record<string, unknown>;
const fixture = (name: string): { source: string; near: Program; far?: Program } =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));

function recordingOf(name: string, change: Partial<Program> = {}, far?: Partial<Program>): Recording {
  const { source, near, far: server } = fixture(name);
  const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near, ...change }];
  if (server) phases.push({ end: 'far', name: 'server', tool: 'iperf3', ...server, ...far });
  return { source, phases };
}
const reading = (recording: Recording, spec: object = {}, more: Partial<AttemptOutput> = {}): Reading =>
  read(ThroughputSpec.parse({ direction: 'forward', durationS: 2, ...spec }), outputOf(recording, more));

/** The near document of a fixture with one place changed, `end.sum_sent.retransmits`; undefined takes it out. */
function changed(name: string, changes: Record<string, unknown>): Partial<Program> {
  const document: Json = JSON.parse(fixture(name).near.stdout);
  for (const [path, value] of Object.entries(changes)) setAt(document, path.split('.'), value);
  return { stdout: JSON.stringify(document) };
}
function setAt(root: Json, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) root[key] = value;
  else setAt(root[key] as Json, rest, value);
}
const without = (key: string, text: string): string =>
  JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === key ? undefined : value)));

describe('A2: an error is a failure whatever the exit code', () => {
  const words = 'error - unable to connect to server: Connection refused';
  test.each([
    ['beside an empty end', { end: {}, intervals: [], error: words }, 'connection-refused'],
    ['beside whole totals', { error: words }, 'connection-reset'],
    ['that is no text', { error: 7 }, 'tool-failed'],
    ['that is empty', { error: '' }, 'tool-failed'],
    ['that is null', { error: null }, 'tool-failed'],
  ])('%s', (_what, changes, reason) => {
    const recording = recordingOf('3.21-forward', { ...changed('3.21-forward', changes), exitCode: 0 });
    expect(reading(recording).ending).toMatchObject({ reason });
  });

  test('nor is an empty end without an error a success', () => {
    const recording = recordingOf('3.21-forward', { ...changed('3.21-forward', { end: {}, intervals: [] }) });
    expect(reading(recording).ending).toMatchObject({ outcome: 'failed', reason: 'output-empty' });
  });
});

describe('A5: errors are told by their words, in every form', () => {
  // src/iperf_error.c of 3.9, 3.12, 3.16, 3.19, 3.21: "error - " in JSON up to 3.13, nothing since 3.14, strerror(3) at the end.
  const SENTENCES = [
    ['unable to connect to server: No route to host', 'no-route', 'no-route'],
    ['unable to connect to server: Network is unreachable', 'no-route', 'no-route'],
    [
      'unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused',
      'connection-refused',
      'connection-reset',
    ],
    ['unable to connect to server: Connection timed out', 'connection-timed-out', 'connection-timed-out'],
    ['unable to connect to server: Operation now in progress', 'connection-timed-out', 'connection-timed-out'],
    ['the server is busy running a test. try again later', 'server-busy', 'server-busy'],
    ['test authorization failed', 'authentication-failed', 'authentication-failed'],
    ['unable to receive results: ', 'connection-reset', 'control-connection-lost'],
    ['unable to send control message: Connection reset by peer', 'connection-reset', 'control-connection-lost'],
    [
      'unable to receive control message - port may not be available, the other side may have stopped running, etc.: ',
      'connection-reset',
      'control-connection-lost',
    ],
    ['control socket has closed unexpectedly', 'connection-reset', 'control-connection-lost'],
    ['select failed: Bad file descriptor', 'connection-reset', 'control-connection-lost'],
    ['the server has terminated', 'connection-reset', 'control-connection-lost'],
    ['the client has terminated', 'tool-killed', 'interrupted'],
    ['client has terminated by signal Terminated(15)', 'tool-killed', 'interrupted'],
    ['idle timeout for receiving data', 'connection-timed-out', 'connection-timed-out'],
    ['unable to start listener for connections: Address already in use', 'port-in-use', 'port-in-use'],
    [
      'unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported on this host: ',
      'congestion-control-unavailable',
      'congestion-control-unavailable',
    ],
    ['socket buffer size not set correctly', 'socket-buffer-refused', 'socket-buffer-refused'],
    ['unable to set socket buffer size: No buffer space available', 'socket-buffer-refused', 'socket-buffer-refused'],
    ['unable to initialize stream: Permission denied', 'tool-failed', 'tool-failed'],
  ] as const;
  const prefix = fc.constantFrom('', 'error - ', 'parameter error - ', 'iperf3: error - ');
  const cases = fc.constantFrom(
    (s: string) => s,
    (s: string) => s.toUpperCase(),
    (s: string) => ` ${s}\n`,
  );

  test('whatever stands before them, and in capitals too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SENTENCES), prefix, cases, ([words, early, late], before, form) => {
        const said = form(`${before}${words}`);
        expect(classify(said, { measured: false, windowAsked: false })).toMatchObject({ reason: early });
        expect(classify(said, { measured: true, windowAsked: false })).toMatchObject({ reason: late });
        expect(classify(said, { measured: true, windowAsked: false })).toMatchObject({
          detail: expect.stringContaining(said.trim()),
        });
      }),
    );
  });

  test('of two errors in one object the last is the one', () => {
    const twice = '"error":"error - the server has terminated","error":"unable to receive results: "';
    const { near } = fixture('3.21-forward');
    const stdout = near.stdout.replace(/\}\s*$/, `, ${twice}}`);
    expect(reading(recordingOf('3.21-forward', { stdout })).ending).toMatchObject({
      reason: 'control-connection-lost',
      detail: expect.stringContaining('unable to receive results'),
    });
  });
});

describe('A6: who sends is said by the direction, never by the key', () => {
  test('in reverse sum_sent is the server’s sending, and the client’s count is the receiver’s', () => {
    const changes = { 'end.sum_sent.bytes': 30_000_000, 'end.sum_sent.retransmits': 9 };
    const recording = recordingOf('3.12-reverse', changed('3.12-reverse', changes));
    const r = reading({ ...recording, phases: recording.phases.slice(0, 1) }, { direction: 'reverse', omitS: 1 });
    const { totals, retransmits } = ThroughputResult.parse(r.result);
    expect(totals.sender?.bytes).toBe(30_000_000);
    expect(totals.receiver?.bytes).toBe(12_582_912);
    expect(retransmits).toBe(9);
    expect(valueIn(r, 'throughput')).toBeCloseTo((12_582_912 * 8) / 1.999973, 3);
  });

  test('a document of the other direction, or of both at once, is no answer', () => {
    const forward = recordingOf('3.21-forward');
    expect(reading(forward, { direction: 'reverse' }).ending).toMatchObject({ reason: 'output-unreadable' });
    const both = recordingOf('3.21-forward', changed('3.21-forward', { 'start.test_start.bidir': 1 }));
    expect(reading(both).ending).toMatchObject({
      reason: 'output-unreadable',
      detail: expect.stringContaining('bidir'),
    });
  });
});

describe('A8, A9: what was not counted is unknown, never 0', () => {
  test('A8: no key of retransmissions, as a receiver or a macOS before 3.21 prints', () => {
    const stdout = without('retransmits', fixture('3.21-forward').near.stdout);
    expect(valueIn(reading(recordingOf('3.21-forward', { stdout })), 'retransmits')).toBe('counter-not-available');
    const zero = stdout.replaceAll('"sum_sent":{', '"sum_sent":{"retransmits":0,');
    expect(valueIn(reading(recordingOf('3.21-forward', { stdout: zero })), 'retransmits')).toBe(0);
  });

  test('A9: round trip, window and cwnd of 0 are none, each alone', () => {
    const fields = { rtt: 'rtt.min', snd_cwnd: 'cwnd.max', snd_wnd: 'window.max' } as const;
    for (const [key, metric] of Object.entries(fields)) {
      const stdout = JSON.stringify(
        JSON.parse(fixture('3.21-forward').near.stdout, (name, value: unknown) => (name === key ? 0 : value)),
      );
      expect(valueIn(reading(recordingOf('3.21-forward', { stdout })), metric)).toMatch(/not/);
    }
  });
});

describe('A10: the client’s document is the record', () => {
  test.each(['3.12-forward', '3.12-reverse'])('%s: the server’s zeros of the other side change nothing', (name) => {
    const spec = { omitS: 1, direction: name.includes('reverse') ? 'reverse' : 'forward' };
    const whole = recordingOf(name);
    const server = JSON.parse(whole.phases[1]?.stdout ?? '').end;
    expect([server.sum_sent.bytes, server.sum_received.bytes]).toContain(0);
    const alone = { ...whole, phases: whole.phases.slice(0, 1) };
    const totals = (r: Recording) => ThroughputResult.parse(reading(r, spec).result).totals;
    expect(totals(whole)).toEqual(totals(alone));
    expect(totals(whole).sender?.bytes).toBeGreaterThan(0);
  });

  test('without the client’s document there is no number, although the server has one', () => {
    const r = reading(recordingOf('3.12-forward', { stdout: '', exitCode: 1 }), { omitS: 1 });
    expect(r.ending).toMatchObject({ outcome: 'failed' });
    expect(r.metrics.every(({ value }) => value === null)).toBe(true);
  });
});

test('A11: a sender’s total that the omitted part inflated gives way too, one within 1 % stays', () => {
  for (const [factor, notes] of [
    [1.005, 0],
    [1.03, 1],
    [1.5, 1],
  ] as const) {
    const bytes = Math.round(23_900_000 * factor);
    const recording = recordingOf('3.21-forward', changed('3.21-forward', { 'end.sum_sent.bytes': bytes }));
    const r = reading(recording);
    expect(r.notes.filter((note) => note.startsWith("the sender's total: the total"))).toHaveLength(notes);
    const { sender } = ThroughputResult.parse(r.result).totals;
    expect((sender?.bytes ?? 0) / 23_900_000).toBeCloseTo(notes === 0 ? factor : 1, 2);
  }
});

describe('A17, A18, A22: JSON that is none', () => {
  const number = fc.constantFrom('nan', '-nan', 'NaN', 'inf', '-inf', 'Infinity', '-Infinity');
  test('A17: no-numbers of printf become null outside strings only', () => {
    fc.assert(
      fc.property(number, fc.constantFrom('\t', ' ', ''), (word, space) => {
        const text = `{"a":${space}${word},"b":[${word},1],"words ${word}":"is ${word}, \\"${word}\\""}`;
        const parsed = parseObject(text);
        expect(parsed).toEqual({
          value: { a: null, b: [null, 1], [`words ${word}`]: `is ${word}, "${word}"` },
          repaired: true,
        });
      }),
    );
    expect(parseObject('{"info":"nan"}')).toEqual({ value: { info: 'nan' }, repaired: false });
  });

  test.each([
    'warning: UDP block size 2048 exceeds TCP MSS 1448, may result in fragmentation / drops\n',
    'WARNING: Size of data read does not correspond to offered length\n',
    'warning: a\nwarning: b\n\n',
  ])('A18: %j before it is a finding, and costs nothing', (warning) => {
    const recording = recordingOf('3.21-forward', { stdout: `${warning}${fixture('3.21-forward').near.stdout}` });
    const r = reading(recording);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(r.notes[0]).toContain(warning.trim().split('\n')[0]);
  });

  test('A22: a key once a stream, and counters that went through the wrong type', () => {
    const { stdout } = fixture('3.21-forward').near;
    const odd = stdout
      .replace(/"sock_bufsize":/g, '"sock_bufsize": 1, "sndbuf_actual": 7, "rcvbuf_actual": 8, "sock_bufsize":')
      .replace(/"tos":\s*0/, '"tos": 545460846592')
      .replaceAll(/"rttvar":\s*\d+/g, '"rttvar": -1')
      .replaceAll(/"snd_wnd":\s*\d+/g, '"snd_wnd": -2147483648');
    expect(odd).not.toBe(stdout);
    const r = reading(recordingOf('3.21-forward', { stdout: odd }));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(r.result).toMatchObject({ buffers: { sndBufBytes: 16_384, rcvBufBytes: 131_072 } });
    expect(valueIn(r, 'window.max')).toBe('counter-not-available');
    expectSound(r);
  });
});

describe('A23: --json-stream', () => {
  const lines = fixture('3.17-json-stream').near.stdout.trim().split('\n');
  const from = (stdout: string) => readDocument(stdout);
  const event = (name: string, data: unknown) => JSON.stringify({ event: name, data });

  test('an error is a text, and the empty end after it is no result', () => {
    const read = from(
      [lines[0], event('error', 'unable to connect to server: Connection refused'), event('end', {})].join('\n'),
    );
    expect(read).toMatchObject({ document: { error: 'unable to connect to server: Connection refused', end: {} } });
  });

  test('no start, and a last line that is cut anywhere: what was whole is kept, never a success', () => {
    expect(from(event('error', 'x'))).toMatchObject({ document: { error: 'x' } });
    const last = lines.at(-1) ?? '';
    fc.assert(
      fc.property(fc.nat({ max: last.length - 1 }), (at) => {
        const stdout = [...lines.slice(0, -1), last.slice(0, at)].join('\n');
        const r = reading(recordingOf('3.17-json-stream', { stdout }));
        expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'receiver-totals-missing' });
        expect(ThroughputResult.parse(r.result).intervals.sender).toHaveLength(2);
      }),
      { numRuns: 30 },
    );
  });

  test('the whole document that 3.20 adds at the end says the same as its events', () => {
    const { stdout } = fixture('3.20-json-stream-full').near;
    const events = stdout
      .split('\n')
      .filter((line) => line.startsWith('{"event"'))
      .join('\n');
    const values = (text: string) => reading(recordingOf('3.20-json-stream-full', { stdout: text })).metrics;
    expect(values(events)).toEqual(values(stdout));
  });
});

test('A26: the server’s document is a help, never a must', () => {
  const { stdout } = fixture('3.12-forward').far ?? { stdout: '' };
  const far = fc.oneof(
    fc.nat({ max: stdout.length }).map((at) => stdout.slice(0, at)),
    fc.constantFrom(
      '',
      '{"end":{}}',
      'warning: JSON data length overflow - 9000 bytes JSON size is not allowed\n',
      '{',
    ),
  );
  const alone = reading(
    { ...recordingOf('3.12-forward'), phases: recordingOf('3.12-forward').phases.slice(0, 1) },
    { omitS: 1 },
  );
  fc.assert(
    fc.property(far, (text) => {
      const r = reading(recordingOf('3.12-forward', {}, { stdout: text }), { omitS: 1 });
      expect(r.ending).toEqual({ outcome: 'completed' });
      expect(valueIn(r, 'throughput')).toBe(valueIn(alone, 'throughput'));
    }),
    { numRuns: 60 },
  );
});

describe('A28, A31: what may be tried again', () => {
  test('A28: a busy server, before any traffic, is its own reason and is tried again', () => {
    const { ending } = reading(recordingOf('3.12-busy'));
    expect(ending).toMatchObject({ outcome: 'failed', reason: 'server-busy' });
    expect(REASONS['server-busy'].retry).toBe(true);
    for (const reason of ['connection-reset', 'tool-failed', 'no-route'] as const)
      expect(REASONS[reason].retry).toBe(false);
  });

  test('A31: a connection that was reset before the test began is not called a loss of control', () => {
    const said = classify('error - unable to send cookie to server: Connection reset by peer', {
      measured: false,
      windowAsked: false,
    });
    expect(said).toEqual(ended('connection-reset', expect.any(String)));
  });
});

test('A32: an idle control connection that a firewall dropped costs the totals, not the intervals', () => {
  const words = { error: 'error - select failed: Bad file descriptor', 'end.sum_received': undefined };
  const r = reading(recordingOf('3.21-forward', { ...changed('3.21-forward', words), exitCode: 1 }));
  expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'control-connection-lost' });
  expect(valueIn(r, 'throughput')).toBe('receiver-totals-missing');
  expect(valueIn(r, 'rtt.min')).toBeCloseTo(20.1, 6);
});
