import { reachability } from '@plumbline/measure';
import { sidedAttempts } from '../../attempt-side.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { ReachabilityTest } from './test.js';

function attempts(test: ReachabilityTest) {
  const { port, count, intervalS, durationS: deadlineS } = test;
  const spec = reachability.spec.parse({ port, count, intervalS, deadlineS });
  const { kind, schemaVersion } = reachability;
  return sidedAttempts(test, { measurement: kind, schemaVersion, tool: 'hping3', spec });
}

export const reachabilityKind = defineKind({
  kind: 'reachability',
  title: 'Reachability of a port',
  description:
    'Whether a TCP port answers: open, closed, filtered, or rejected by an ICMP error, and by whom. Read from each answer, not from a summary.',
  sharing: reachability.sharing,
  test: ReachabilityTest,
  metrics: reachability.metrics.map((fact) => fact.name),
  labels: (test) => (test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
  attempts,
  summarise: (_test, results) => summarise(reachability.metrics, results),
});
export { ReachabilityTest } from './test.js';
