import type { Leg } from '@plumbline/api-client';
import type { Finding } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import type { Terminal } from '../output/terminal.js';
import { figures, findingName, printFindings, printHeadlines } from './diagnosis-text.js';

function printed(print: (out: Terminal) => void, columns = Number.POSITIVE_INFINITY): string {
  let text = '';
  const write = (piece: string | Uint8Array): void => {
    text += piece.toString();
  };
  print({ isTty: false, colour: false, columns: () => columns, write });
  return text;
}

const findings: Finding[] = [
  {
    code: 'loss-limited',
    holds: 'no',
    evidence: { retransmitRatio: 0 },
  },
  {
    code: 'policed',
    holds: 'cannot-tell',
    evidence: {},
    missing: ['a UDP load above the rate'],
    measureNext: ['a udp-step-up test'],
  },
  {
    code: 'receive-window-limited',
    holds: 'yes',
    labels: { direction: 'forward' },
    evidence: { measuredBps: 75.2e6, windowBytes: 174_000, rttMs: 18.317 },
    predictedCeilingBps: 76_000_000,
    text: 'The window of 174 kB allows 76 Mbit/s. Raise tcp_rmem there.',
  },
];
const shown = (all: boolean, columns?: number) => printed((out) => printFindings({ findings }, all, out), columns);

describe('findings for people', () => {
  test('what holds first, then what cannot be told with what to measure next; the others only with all', () => {
    expect(shown(false).split('\n')).toEqual([
      '    ! receive-window-limited (forward): The window of 174 kB allows 76 Mbit/s. Raise tcp_rmem there.',
      '    ? policed: cannot tell without a UDP load above the rate. Measure next: a udp-step-up test.',
      '',
    ]);
    const all = shown(true);
    expect(all).toContain('    - loss-limited: it does not hold.\n      retransmitRatio 0\n');
    expect(all).toContain('measuredBps 75200000, windowBytes 174000, rttMs 18.32, predictedCeilingBps 76000000');
  });

  test('fit a terminal', () => {
    for (const line of shown(true, 60).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('a name and figures stand alone where there is nothing more', () => {
    expect(findingName({ code: 'bufferbloat' })).toBe('bufferbloat');
    expect(figures({ code: 'bufferbloat', holds: 'no', evidence: {} })).toBe('');
  });
});

describe('the headline', () => {
  const leg = (over: Partial<Leg> = {}): Leg => ({
    path: 'ber-par',
    state: 'succeeded',
    verdict: 'none',
    criteria: [],
    startedAt: '2026-11-30T16:00:00.000Z',
    endedAt: '2026-11-30T16:00:09.500Z',
    steps: [],
    ...over,
  });
  const diagnosis = {
    ruleSet: '1',
    headline: '180 of 1000 Mbit/s, 18 % of what you pay for',
    limitedBy: 'our-host',
  } as const;
  const attempt = {
    n: 0,
    repeat: 0,
    startedAt: null,
    endedAt: null,
    outcome: 'completed',
    metrics: [],
    commands: [],
    notes: [],
  } as const;
  const step = {
    ...({ kind: 'rtt', state: 'succeeded', startedAt: null, endedAt: null } as const),
    metrics: [],
    findings: [],
    attempts: [{ ...attempt, metrics: [], commands: [], notes: [] }],
  };
  const lines = (...legs: Leg[]) => printed((out) => printHeadlines('0192', legs, out));

  test('names the path only where there are several', () => {
    expect(lines(leg({ diagnosis }))).toBe('180 of 1000 Mbit/s, 18 % of what you pay for\n');
    expect(lines(leg({ diagnosis }), leg({ diagnosis, path: 'par-ber' }))).toContain('par-ber: 180 of 1000');
  });

  test('of a leg that was measured and not diagnosed is how to diagnose it', () => {
    expect(lines(leg({ steps: [step] }))).toBe('not diagnosed yet: plumb diagnose 0192\n');
    expect(lines(leg())).toBe('');
    expect(lines(leg({ steps: [step], state: 'running', endedAt: null }))).toBe('');
  });
});
