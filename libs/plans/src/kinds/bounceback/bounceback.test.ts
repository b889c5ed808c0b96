import { describe, expect, test } from 'vitest';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { bounceback } from './index.js';

const plansOf = (test: object) => bounceback.attempts(stored(bounceback, test), somePath());

describe('bounceback', () => {
  test('sends 100 bytes each way for ten seconds by iperf 2 unless told otherwise', () => {
    expect(plansOf({})).toEqual([
      {
        repeat: 1,
        cell: {},
        measurement: 'transactions',
        schemaVersion: 1,
        tool: 'iperf2',
        spec: { requestBytes: 100, replyBytes: 100, durationS: 10, underLoad: false },
      },
    ]);
  });

  test('replies are as large as requests unless told otherwise', () => {
    expect(plansOf({ requestBytes: 65_536 })[0]?.spec).toMatchObject({ requestBytes: 65_536, replyBytes: 65_536 });
    expect(plansOf({ replyBytes: 1000, underLoad: true })[0]?.spec).toMatchObject({
      requestBytes: 100,
      replyBytes: 1000,
      underLoad: true,
    });
  });

  test('in reverse the destination asks and the source answers', () => {
    const plans = plansOf({ direction: 'both', repeats: 2 });
    expect(plans.map((plan) => ('startsAt' in plan ? plan.startsAt : 'near'))).toEqual(['near', 'far', 'near', 'far']);
    expect(plans.map(({ cell }) => cell.direction)).toEqual(['forward', 'reverse', 'forward', 'reverse']);
  });

  test('gives medians with spread, and null where it was refused', () => {
    const test = { repeats: 3 };
    const results = plansOf(test).map((plan) =>
      completed(plan, [value('transactions-per-second', '1/s', 20 + plan.repeat)]),
    );
    const metrics = bounceback.summarise(stored(bounceback, test), results);
    expect(only(metrics, 'transactions-per-second')).toMatchObject({
      value: 22,
      spread: { min: 21, max: 23, count: 3 },
    });
    const refused = plansOf({}).map((plan) => failed(plan, 'tool-missing'));
    expect(only(bounceback.summarise(stored(bounceback, {}), refused), 'latency.p95')).toMatchObject({
      value: null,
      reason: 'attempt-failed',
    });
  });

  test('what is not counted is asked for, and only where there is something', () => {
    expect(plansOf({ omitS: 3 })[0]?.spec).toMatchObject({ omitS: 3, durationS: 10 });
    expect(JSON.stringify(plansOf({})[0]?.spec)).not.toContain('omitS');
  });

  test.each([{ requestBytes: 10 }, { replyBytes: 0 }, { durationS: 0 }, { underLoad: 'yes' }, { omitS: -1 }])(
    'refuses %j',
    (test) => {
      expect(() => stored(bounceback, test)).toThrow();
    },
  );
});
