import { trace } from '@plumbline/measure';
import { sidedAttempts } from '../../attempt-side.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { TraceTest, traceToolOf } from './test.js';

/** A trace has no direction of its own: in reverse it starts at the destination. */
function attempts(test: TraceTest) {
  const { method, flows, cycles, maxHops, port, durationS: deadlineS } = test;
  const spec = trace.spec.parse({ method, flows, cycles, maxHops, port, deadlineS });
  const { kind, schemaVersion } = trace;
  return sidedAttempts(test, { measurement: kind, schemaVersion, tool: traceToolOf(test), spec });
}

const numbers = (upTo: number): string[] => Array.from({ length: upTo }, (_, i) => String(i + 1));

export const traceKind = defineKind({
  kind: 'trace',
  title: 'Hops on the way',
  description:
    'The hops with their loss and latency; several flows show load balancing. A router that only limits its ICMP is not called lossy.',
  sharing: trace.sharing,
  test: TraceTest,
  metrics: trace.metrics.map((fact) => fact.name),
  labels: (test) => ({
    hop: numbers(test.maxHops),
    ...(test.flows > 1 ? { stream: numbers(test.flows) } : {}),
    ...(test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
  }),
  attempts,
  summarise: (_test, results) =>
    summarise(
      trace.metrics.filter(({ name }) => !name.startsWith('hop.')),
      results,
    ),
});
export { TraceTest } from './test.js';
