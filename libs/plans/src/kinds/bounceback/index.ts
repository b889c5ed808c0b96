import { transactions } from '@plumbline/measure';
import { sidedAttempts } from '../../attempt-side.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { BouncebackTest } from './test.js';

/** iperf3 cannot count transactions, so iperf 2 it is: a probe without it refuses, with the package to install. */
function attempts(test: BouncebackTest) {
  const { requestBytes, replyBytes = requestBytes, durationS, omitS, underLoad } = test;
  const spec = transactions.spec.parse({ requestBytes, replyBytes, durationS, omitS: omitS || undefined, underLoad });
  const { kind, schemaVersion } = transactions;
  // The client decides the direction: requests travel from where the attempt starts.
  return sidedAttempts(test, { measurement: kind, schemaVersion, tool: 'iperf2', spec });
}

export const bounceback = defineKind({
  kind: 'bounceback',
  title: 'Transactions',
  description:
    'How many requests a second find their reply when each waits for the one before: distance decides that, not bandwidth.',
  sharing: transactions.sharing,
  test: BouncebackTest,
  metrics: transactions.metrics.map((fact) => fact.name),
  labels: (test) => (test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
  attempts,
  summarise: (_test, results) => summarise(transactions.metrics, results),
});
export { BouncebackTest } from './test.js';
