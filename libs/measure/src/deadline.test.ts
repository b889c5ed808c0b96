import { expect, test } from 'vitest';
import { abilities } from './abilities.js';

const LIGHT: Readonly<Record<string, object>> = {
  trace: {},
  reachability: { port: 443, count: 1000, intervalS: 3 },
  'path-mtu': { sizesBytes: [1500, 1400, 576], echoes: 10 },
};
const light = abilities.filter(({ measures }) => measures in LIGHT);

test.each(light.map((ability) => [ability.measures, ability.tool, ability] as const))(
  '%s by %s ends at its deadline, and never later than without one',
  (measures, _tool, ability) => {
    const longestMs = (more: object) => ability.prepare({ ...LIGHT[measures], ...more }).longestDurationMs;
    expect(longestMs({})).toBeGreaterThan(3_000);
    expect(longestMs({ deadlineS: 3 })).toBe(3_000);
    expect(longestMs({ deadlineS: 3_600 })).toBe(Math.min(longestMs({}), 3_600_000));
    expect(() => ability.prepare({ ...LIGHT[measures], deadlineS: 0 })).toThrow();
  },
);
