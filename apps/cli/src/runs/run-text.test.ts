import { type Leg, metric, missing, type Step, StepReason } from '@plumbline/model';
import { describe, expect, it, test } from 'vitest';
import { printRun, reasonText, type ShownRun, took } from './run-text.js';

function printed(run: ShownRun, columns = Number.POSITIVE_INFINITY): string {
  let text = '';
  const write = (piece: string | Uint8Array): void => {
    text += piece.toString();
  };
  printRun(run, { isTty: false, colour: false, columns: () => columns, write });
  return text;
}

const step = (over: Partial<Step> = {}): Step => ({
  kind: 'single-stream',
  state: 'succeeded',
  startedAt: '2026-11-30T16:00:00.000Z',
  endedAt: '2026-11-30T16:00:08.000Z',
  metrics: [{ ...metric('throughput', 'bit/s', 75.2e6), spread: { min: 74e6, max: 76e6, count: 3 } }],
  findings: [],
  attempts: [],
  ...over,
});
const leg = (over: Partial<Leg> = {}): Leg => ({
  path: 'berlin-paris',
  state: 'succeeded',
  verdict: 'none',
  criteria: [],
  startedAt: null,
  endedAt: null,
  steps: [step()],
  ...over,
});
const run = (over: Partial<ShownRun> = {}): ShownRun => ({
  id: '0192f0c1-0000-7000-8000-000000000000',
  state: 'succeeded',
  verdict: 'none',
  plan: { name: 'nightly', version: 3 },
  createdAt: '2026-11-30T16:00:00.000Z',
  startedAt: '2026-11-30T16:00:00.000Z',
  endedAt: '2026-11-30T16:00:09.500Z',
  legs: [leg()],
  ...over,
});

describe('a run for people', () => {
  it('says first what became of it', () => {
    const lines = printed(run({ state: 'failed', verdict: 'inconclusive' })).split('\n');
    expect(lines[0]).toBe('failed, verdict inconclusive');
    expect(lines).toContain('plan       nightly version 3');
    expect(lines).toContain('took       9.5 s');
  });

  it('says when a new reading has changed the record, and whose it was', () => {
    const text = printed(run({ reparsed: { at: '2026-11-30T17:00:00.000Z', version: '9.9.9' } }));
    expect(text).toMatch(/read again {2}.*17:00.*, by Plumbline 9\.9\.9/);
    expect(printed(run())).not.toContain('read again');
  });

  it('shows numbers with unit and spread', () => {
    const text = printed(run());
    expect(text).toMatch(/throughput\s+75\.2 Mbit\/s\s+74 Mbit\/s to 76 Mbit\/s \(3\)/);
  });

  it('says why a number is missing, and never 0', () => {
    const text = printed(run({ legs: [leg({ steps: [step({ metrics: [missing('rtt.p50', 'ms', 'no-reply')] })] })] }));
    expect(text).toContain('unknown: nothing was answered');
    expect(text).not.toMatch(/rtt\.p50\s+0/);
  });

  it('says what a failed attempt means and what to do', () => {
    const failed = step({
      state: 'failed',
      reason: 'tool-missing',
      metrics: [],
      attempts: [
        {
          n: 0,
          repeat: 1,
          startedAt: null,
          endedAt: null,
          outcome: 'refused',
          reason: 'tool-missing',
          detail: 'iperf3 is missing on berlin.',
          metrics: [],
          commands: [],
          notes: [],
        },
      ],
    });
    const text = printed(run({ state: 'failed', legs: [leg({ state: 'failed', steps: [failed] })] }));
    expect(text).toContain('failed: tool-missing');
    expect(text).toContain('Install it there.');
    expect(text).toContain('iperf3 is missing on berlin.');
  });

  const attempt = (over: Partial<Step['attempts'][number]>): Step['attempts'][number] => ({
    n: 0,
    repeat: 1,
    startedAt: null,
    endedAt: null,
    outcome: 'partial',
    reason: 'control-connection-lost',
    metrics: [],
    commands: [],
    notes: [],
    ...over,
  });

  it('says what befell several attempts once, and lists no metric that is unknown for it', () => {
    const failed = step({
      state: 'failed',
      metrics: [missing('throughput', 'bit/s', 'attempt-failed'), missing('rtt.mean', 'ms', 'attempt-failed')],
      attempts: [0, 1, 2].map((n) => attempt({ n, outcome: 'failed', reason: 'connection-refused', detail: 'by b.' })),
    });
    const text = printed(run({ legs: [leg({ steps: [failed] })] }));
    expect(text).toContain('attempts 0, 1, 2 failed: connection-refused.');
    expect(text.match(/by b\./g)).toHaveLength(1);
    expect(text).not.toContain('throughput');
    expect(text).not.toContain('unknown');
  });

  it('shows what a partial attempt had measured, and what was noted of an attempt', () => {
    const partial = step({
      state: 'failed',
      metrics: [missing('rtt.mean', 'ms', 'attempt-failed')],
      attempts: [
        attempt({
          metrics: [metric('rtt.mean', 'ms', 44.5), missing('throughput', 'bit/s', 'receiver-totals-missing')],
        }),
        attempt({ n: 1, outcome: 'completed', reason: undefined, notes: ['it was begun anew'] }),
      ],
    });
    const text = printed(run({ legs: [leg({ steps: [partial] })] }));
    expect(text).toMatch(/measured by attempt 0 until then:.*rtt\.mean\s+44\.5 ms/s);
    expect(text).not.toContain('throughput');
    expect(text).toContain('attempt 1: it was begun anew');
  });

  it('shows both ends below the numbers, and what their counters say', () => {
    const sender = { end: 'near', role: 'sender', congestionControl: 'cubic', congestionControlSampled: true } as const;
    const near = { since: null, until: null, unknown: {}, queue: { drops: 12 } };
    const one = attempt({
      outcome: 'completed',
      reason: undefined,
      ends: [{ ...sender, measured: ['retransmits'] }],
      counters: { near },
    });
    const lines = printed(run({ legs: [leg({ steps: [step({ attempts: [one] })] })] })).split('\n');
    expect(lines.slice(-3)).toEqual([
      '    near end (sender, cubic, CPU unknown) measured retransmits',
      '    counters of the near end: queue drops +12',
      '',
    ]);
  });

  it('keeps to the width of the terminal', () => {
    const labelled = metric('throughput', 'bit/s', 1e6, { algorithm: 'cubic', streams: '4', direction: 'forward' });
    const text = printed(run({ legs: [leg({ reason: 'probe-lost', steps: [step({ metrics: [labelled] })] })] }), 60);
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(60);
    expect(text).toContain('1 Mbit/s');
  });

  it('shows the verdict of each criterion', () => {
    const criteria = [
      {
        index: 0,
        metric: 'loss',
        verdict: 'fail' as const,
        measured: 0.1,
        limit: 0,
        text: 'loss <= 0 %: fail, measured 10 %',
      },
    ];
    expect(printed(run({ legs: [leg({ criteria })] }))).toContain('  loss <= 0 %: fail, measured 10 %\n');
  });
});

test('every reason has a sentence', () => {
  for (const reason of StepReason.options) expect(reasonText(reason)).toMatch(/^[A-Z].*[.?]$/);
});

test('took needs both times', () => {
  expect(took('2026-11-30T16:00:00Z', null)).toBeUndefined();
  expect(took('2026-11-30T16:00:00Z', 'never')).toBeUndefined();
});
