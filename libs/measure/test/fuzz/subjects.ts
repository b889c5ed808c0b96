import { derivedMetrics } from '../../src/derived-metrics.js';
import { hops } from '../../src/measurements/hops/index.js';
import { pathMtu } from '../../src/measurements/path-mtu/index.js';
import { reachability } from '../../src/measurements/reachability/index.js';
import { rtt } from '../../src/measurements/rtt/index.js';
import { throughput } from '../../src/measurements/throughput/index.js';
import { trace } from '../../src/measurements/trace/index.js';
import { transactions } from '../../src/measurements/transactions/index.js';
import { udpLoad } from '../../src/measurements/udp-load/index.js';
import type { MetricFact } from '../../src/metric-fact.js';
import type { Recording } from '../../src/test-support/reading.js';
import { reachabilityByHping3, rttByHping3, traceByHping3 } from '../../src/tools/hping3/index.js';
import { transactionsByIperf2 } from '../../src/tools/iperf2/index.js';
import { throughputByIperf3 } from '../../src/tools/iperf3/index.js';
import { udpLoadByIperf3 } from '../../src/tools/iperf3/udp.js';
import { traceByMtr } from '../../src/tools/mtr/index.js';
import { throughputByNuttcp } from '../../src/tools/nuttcp/index.js';
import { hopsByPchar } from '../../src/tools/pchar/index.js';
import { rttByPing } from '../../src/tools/ping/index.js';
import { pathMtuByPing } from '../../src/tools/ping/path-mtu.js';
import { traceByTracepath } from '../../src/tools/tracepath/index.js';
import { plainParsers } from './plain-parsers.js';
import { optionIn, recordingsIn } from './recordings.js';
import { mtrSpec, sizesSpec, socketsOf, synSpec, throughputSpec, transactionsSpec, udpSpec } from './specs.js';
import { type AbilityFacts, abilitySubject, type Subject } from './subject.js';

const syns = recordingsIn('hping3/fixtures');
const synsThat = (keep: (name: string) => boolean): ReadonlyMap<string, Recording> =>
  new Map([...syns].filter(([name]) => keep(name)));

type Facts = Omit<AbilityFacts, 'metrics'> & { readonly of: { readonly metrics: readonly MetricFact[] } };

/** Every ability, registered or not. A new one needs its recordings and a line here. */
const abilities: readonly Facts[] = [
  {
    ...{ ability: throughputByIperf3, of: throughput, headline: 'throughput', mandatory: ['test'] },
    ...{ recordings: recordingsIn('iperf3/fixtures'), specOf: throughputSpec },
    sockets: socketsOf((recording) => optionIn(recording, 'test', '--cport')),
  },
  {
    ...{ ability: throughputByNuttcp, of: throughput, headline: 'throughput', mandatory: ['test'] },
    ...{ recordings: recordingsIn('nuttcp/fixtures'), specOf: throughputSpec },
    sockets: socketsOf((recording) => optionIn(recording, 'test', '-p')),
  },
  {
    ...{ ability: udpLoadByIperf3, of: udpLoad, headline: 'delivered', mandatory: ['test'] },
    ...{ recordings: recordingsIn('iperf3/udp-fixtures'), specOf: udpSpec },
  },
  {
    ...{ ability: transactionsByIperf2, of: transactions, headline: 'transactions-per-second', mandatory: ['test'] },
    ...{ recordings: recordingsIn('iperf2/fixtures'), specOf: transactionsSpec },
  },
  {
    ...{ ability: rttByPing, of: rtt, headline: 'loss', mandatory: ['ping'], oneIsAnAnswer: true },
    ...{ recordings: recordingsIn('ping/fixtures'), specOf: () => ({ count: 3, intervalS: 0.2 }) },
  },
  {
    ...{ ability: pathMtuByPing, of: pathMtu, headline: undefined, mandatory: [] },
    ...{ recordings: recordingsIn('ping/path-mtu-fixtures'), specOf: sizesSpec },
  },
  {
    ...{ ability: rttByHping3, of: rtt, headline: 'loss', mandatory: [] },
    ...{ recordings: synsThat((name) => !name.startsWith('trace')), specOf: () => ({ count: 5, intervalS: 0.2 }) },
  },
  {
    ...{ ability: reachabilityByHping3, of: reachability, headline: 'port.open', mandatory: [] },
    ...{ recordings: synsThat((name) => !/^(trace|rtt)/.test(name)), specOf: synSpec },
  },
  {
    ...{ ability: traceByHping3, of: trace, headline: undefined, mandatory: [] },
    recordings: synsThat((name) => name.startsWith('trace')),
    specOf: () => ({ method: 'tcp-syn', port: 81, maxHops: 10 }),
  },
  {
    ...{ ability: traceByMtr, of: trace, headline: undefined, mandatory: ['flow-1'] },
    ...{ recordings: recordingsIn('mtr/fixtures'), specOf: mtrSpec },
  },
  {
    ...{ ability: traceByTracepath, of: trace, headline: undefined, mandatory: ['tracepath'] },
    ...{ recordings: recordingsIn('tracepath/fixtures'), specOf: () => ({ method: 'udp' }) },
  },
  {
    ...{ ability: hopsByPchar, of: hops, headline: undefined, mandatory: [] },
    ...{ recordings: recordingsIn('pchar/fixtures'), specOf: () => ({}) },
  },
];

/** Everything that reads what a program printed. */
export const subjects: readonly Subject[] = [
  ...abilities.map(({ of, ...facts }) => abilitySubject({ ...facts, metrics: [...of.metrics, ...derivedMetrics] })),
  ...plainParsers,
];
