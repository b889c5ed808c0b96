import { describe, expect, test } from 'vitest';
import { completed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { traceKind } from './index.js';

const plansOf = (test: object) => traceKind.attempts(stored(traceKind, test), somePath());

describe('trace', () => {
  test('by the tool that fits the method, unless the test names another', () => {
    expect(['icmp', 'udp', 'tcp-syn'].map((method) => plansOf({ method })[0]?.tool)).toEqual(['mtr', 'mtr', 'hping3']);
    expect(plansOf({ method: 'udp', tool: 'tracepath' })[0]).toMatchObject({ tool: 'tracepath', measurement: 'trace' });
    expect(plansOf({ method: 'tcp-syn', tool: 'mtr', flows: 4, port: 5201 })[0]?.spec).toEqual({
      method: 'tcp-syn',
      flows: 4,
      cycles: 10,
      maxHops: 30,
      port: 5201,
    });
  });

  test('in reverse it starts at the destination', () => {
    const plans = plansOf({ direction: 'both', repeats: 2 });
    expect(plans.map((plan) => ('startsAt' in plan ? plan.startsAt : 'near'))).toEqual(['near', 'far', 'near', 'far']);
  });

  test('keeps each hop, labelled', () => {
    const test = { repeats: 2 };
    const results = plansOf(test).map((plan) =>
      completed(plan, [
        value('hops', 'count', 2),
        value('hop.loss', 'ratio', 0, { hop: '1' }),
        value('hop.rtt.mean', 'ms', plan.repeat, { hop: '1' }),
      ]),
    );
    const metrics = traceKind.summarise(stored(traceKind, test), results);
    expect(only(metrics, 'hop.rtt.mean', { hop: '1' })).toMatchObject({ value: 1.5, spread: { count: 2 } });
    expect(only(metrics, 'hops').value).toBe(2);
    expect(metrics.filter(({ name }) => name === 'hop.rtt.max')).toEqual([]);
    expect(traceKind.labels(stored(traceKind, { flows: 2, maxHops: 2 }))).toEqual({
      hop: ['1', '2'],
      stream: ['1', '2'],
    });
  });

  test.each([
    { method: 'icmp', tool: 'hping3' },
    { method: 'tcp-syn', tool: 'tracepath' },
    { method: 'tcp-syn', flows: 2 },
    { method: 'icmp', port: 80 },
    { maxHops: 0 },
    { flows: 9 },
  ])('refuses %j', (test) => {
    expect(() => stored(traceKind, test)).toThrow();
  });
});
