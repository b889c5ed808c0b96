import { rtt } from '@plumbline/measure';
import { interleave } from '../../expand.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { echoCount, RttTest } from './test.js';

function attempts(test: RttTest) {
  const spec = rtt.spec.parse({
    count: echoCount(test),
    intervalS: test.intervalS,
    omitCount: Math.ceil(test.omitS / test.intervalS),
    payloadBytes: test.payloadBytes,
    method: test.method,
    port: test.port,
  });
  return interleave(test.repeats, [{ cell: {}, spec }], {
    measurement: rtt.kind,
    schemaVersion: rtt.schemaVersion,
    tool: test.method === 'tcp-syn' ? 'hping3' : 'ping',
  });
}

export const rttKind = defineKind({
  kind: 'rtt',
  title: 'Round-trip time',
  description: 'Round-trip time and loss of small packets, without a load of our own.',
  sharing: rtt.sharing,
  test: RttTest,
  metrics: rtt.metrics.map((fact) => fact.name),
  labels: () => ({}),
  attempts,
  summarise: (_test, results) => summarise(rtt.metrics, results),
});
export { RttTest };
