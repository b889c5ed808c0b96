import { hops, hopsLimits } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { sidedAttempts } from '../../attempt-side.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { HopCharacterizationTest, longestS } from './test.js';

const DEFAULT_MTU_BYTES = 1500;

function attempts(test: HopCharacterizationTest, path: Path) {
  const { sizes, repetitions, maxHops } = test;
  const spec = hops.spec.parse({
    sizes,
    repetitions,
    maxBytes: largestBytes(path),
    maxHops,
    maxDurationS: longestS(test),
  });
  const { kind, schemaVersion } = hops;
  return sidedAttempts(test, { measurement: kind, schemaVersion, tool: 'pchar', spec });
}

/** What does not fit in one packet tells nothing of a link. */
const largestBytes = ({ mtu = DEFAULT_MTU_BYTES }: Path): number =>
  Math.min(hopsLimits.maxBytes.maxValue ?? mtu, Math.max(hopsLimits.maxBytes.minValue ?? mtu, mtu));

export const hopCharacterization = defineKind({
  kind: 'hop-characterization',
  title: 'Links of the way',
  description:
    "Each link's rate and latency, with how well they could be told: which hop is the slow one. Takes minutes.",
  sharing: hops.sharing,
  test: HopCharacterizationTest,
  metrics: hops.metrics.map((fact) => fact.name),
  labels: (test) => ({
    hop: Array.from({ length: test.maxHops }, (_, i) => String(i + 1)),
    ...(test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
  }),
  attempts,
  summarise: (_test, results) =>
    summarise(
      hops.metrics.filter(({ name }) => !name.startsWith('hop.')),
      results,
    ),
});
export { HopCharacterizationTest } from './test.js';
