import { describe, expect, test } from 'vitest';
import { completed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { reachabilityKind } from './index.js';

const plansOf = (test: object) => reachabilityKind.attempts(stored(reachabilityKind, test), somePath());

describe('reachability', () => {
  test('a few SYNs to the port, from either end', () => {
    const plans = plansOf({ port: 5201, direction: 'both' });
    expect(plans).toMatchObject([
      { measurement: 'reachability', tool: 'hping3', spec: { port: 5201, count: 5, intervalS: 0.5 } },
      { startsAt: 'far' },
    ]);
  });

  test('gives the shares', () => {
    const results = plansOf({ port: 80 }).map((plan) => completed(plan, [value('port.open', 'ratio', 1)]));
    expect(only(reachabilityKind.summarise(stored(reachabilityKind, { port: 80 }), results), 'port.open').value).toBe(
      1,
    );
  });

  test.each([{}, { port: 0 }, { port: 70_000 }, { port: 80, count: 0 }])('refuses %j', (test) => {
    expect(() => stored(reachabilityKind, test)).toThrow();
  });
});
