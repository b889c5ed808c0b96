import { createHash } from 'node:crypto';
import type { ExecuteResponse } from '@plumbline/probe-rpc';
import { describe, expect, it } from 'vitest';
import { commandsOf, endedAtNear, phasesOf } from './attempt-output.js';
import { artifactName, EndRecord } from './end-record.js';

type Event = NonNullable<ExecuteResponse['event']>;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const at = new Date('2026-11-30T00:00:00Z');

function record(events: readonly Event[], end: 'near' | 'far' = 'near'): EndRecord {
  const made = new EndRecord(end);
  for (const [i, event] of events.entries()) made.apply({ sequence: BigInt(i + 1), at, event });
  return made;
}
const started = (phase = 'test'): Event => ({
  $case: 'started',
  value: { phase, tool: 'iperf3', argv: ['iperf3', '-c'], pid: 1 },
});
function artifact(text: string, more: { stream?: string; sha256?: Buffer; sizeBytes?: number } = {}): Event[] {
  const bytes = Buffer.from(text);
  return [
    {
      $case: 'artifactStart',
      value: { name: 'x', phase: 'test', tool: 'iperf3', stream: more.stream ?? 'stdout', mediaType: 'text/plain' },
    },
    { $case: 'artifactChunk', value: { data: bytes.subarray(0, 3) } },
    { $case: 'artifactChunk', value: { data: bytes.subarray(3) } },
    {
      $case: 'artifactEnd',
      value: { sizeBytes: BigInt(more.sizeBytes ?? bytes.length), sha256: more.sha256 ?? sha256(bytes) },
    },
  ];
}
const finished = (outcome: string, reason = ''): Event => ({
  $case: 'finished',
  value: {
    outcome,
    reason,
    detail: '',
    phases: [
      {
        phase: 'test',
        tool: 'iperf3',
        argv: ['iperf3', '-c'],
        exitCode: 0,
        signal: '',
        startedAt: at,
        endedAt: new Date(+at + 1_500),
        cpuUserUs: 7n,
        cpuSystemUs: undefined,
      },
    ],
    startedAt: at,
    endedAt: at,
    outputTruncated: false,
  },
});

describe('what one end tells', () => {
  it('is put together from its events, artifacts byte for byte', () => {
    const made = record([started(), ...artifact('{"a":1}'), finished('completed')]);
    expect(made.artifacts.map((a) => [a.artifact.name, a.bytes.toString()])).toEqual([
      ['near-test-iperf3.stdout', '{"a":1}'],
    ]);
    expect(made.notes).toEqual([]);
    expect(made.ending).toEqual({ outcome: 'completed' });
    expect(phasesOf(made)).toEqual([
      {
        end: 'near',
        name: 'test',
        tool: 'iperf3',
        argv: ['iperf3', '-c'],
        exitCode: 0,
        signal: null,
        stdout: '{"a":1}',
        stderr: '',
        cpuUserUs: 7,
        durationMs: 1_500,
      },
    ]);
    expect(commandsOf(made)[0]).toMatchObject({
      exitCode: 0,
      startedAt: at.toISOString(),
      endedAt: '2026-11-30T00:00:01.500Z',
    });
  });

  it('is taken once, however often it is sent, also when the stream breaks inside an artifact', () => {
    const events = [started(), ...artifact('hello'), finished('completed')];
    const made = new EndRecord('near');
    const send = (from: number, to: number) => {
      for (let i = from; i < to; i++) made.apply({ sequence: BigInt(i + 1), at, event: events[i] });
    };
    send(0, 3);
    send(0, 3);
    send(2, events.length);
    expect(made.artifacts.map((a) => a.bytes.toString())).toEqual(['hello']);
    expect(made.started).toHaveLength(1);
    expect(made.after).toBe(BigInt(events.length));
  });

  it('is noted where bytes are not what was sent', () => {
    expect(record(artifact('abc', { sha256: sha256(Buffer.from('abd')) })).notes[0]).toContain(
      'near-test-iperf3.stdout',
    );
    expect(record(artifact('abc', { sizeBytes: 4 })).notes).toHaveLength(1);
    expect(record(artifact('abc', { stream: 'telepathy' })).artifacts[0]?.artifact.stream).toBe('stdout');
  });

  it('has programs without an end while none was told', () => {
    const made = record([started()], 'far');
    expect(made.ending).toBeUndefined();
    expect(phasesOf(made)).toMatchObject([{ end: 'far', exitCode: null, signal: null, stdout: '' }]);
  });

  it('keeps the outcome of a newer probe whose reason is not known here', () => {
    expect(record([finished('lost', 'eaten-by-a-grue')]).ending).toMatchObject({
      outcome: 'lost',
      reason: 'internal-error',
    });
    expect(record([finished('gone', 'port-in-use')]).ending).toMatchObject({
      outcome: 'failed',
      reason: 'port-in-use',
    });
  });
});

describe('names of artifacts', () => {
  it('are safe in URLs and told apart', () => {
    expect(artifactName('near', '../x y', 'ping', 'stdout')).toBe('near-..-x-y-ping.stdout');
    const twice = record([...artifact('one'), ...artifact('two')]);
    expect(twice.artifacts.map((a) => a.artifact.name)).toEqual([
      'near-test-iperf3.stdout',
      'near-test-iperf3.stdout.2',
    ]);
  });
});

describe('the end of an attempt whose result was fetched late', () => {
  it("is the end of the probe's last program, by our clock", () => {
    const near = record([started(), finished('completed')]);
    expect(endedAtNear(near, { offsetMs: 500, errorMs: 1 })).toEqual(new Date(+at + 1_000));
  });

  it('is not known without a program that ended, or without knowing how far that clock is off', () => {
    expect(endedAtNear(record([started()]), { offsetMs: 0, errorMs: 0 })).toBeUndefined();
    expect(endedAtNear(record([finished('completed')]), undefined)).toBeUndefined();
  });
});
