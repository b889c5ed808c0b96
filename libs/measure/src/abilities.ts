import type { Ability, Measurement } from './ability.js';
import { rtt } from './measurements/rtt/index.js';
import { throughput } from './measurements/throughput/index.js';
import { transactions } from './measurements/transactions/index.js';
import type { Tool } from './tool.js';
import { iperf2, transactionsByIperf2 } from './tools/iperf2/index.js';
import { iperf3, throughputByIperf3 } from './tools/iperf3/index.js';
import { nuttcp, throughputByNuttcp } from './tools/nuttcp/index.js';
import { ping, rttByPing } from './tools/ping/index.js';
import { ss } from './tools/ss/version.js';

/** The programs that Plumbline drives. */
export const tools: readonly Tool[] = [iperf3, ping, ss, iperf2, nuttcp];

/** Which tool can measure what. A new one is a folder and a line here. */
export const abilities: readonly Ability[] = [throughputByIperf3, rttByPing, transactionsByIperf2, throughputByNuttcp];

/** What can be measured. A new one is a folder and a line here. */
export const measurements: readonly Pick<Measurement, 'kind' | 'schemaVersion' | 'spec' | 'metrics' | 'sharing'>[] = [
  throughput,
  rtt,
  transactions,
];

/** The ability that measures a kind with a tool; undefined: no such ability in this version. */
export const abilityOf = (measures: string, tool: string): Ability | undefined =>
  abilities.find((ability) => ability.measures === measures && ability.tool === tool);
