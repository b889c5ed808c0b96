import type { Ability, Measurement } from './ability.js';
import { hops } from './measurements/hops/index.js';
import { pathMtu } from './measurements/path-mtu/index.js';
import { reachability } from './measurements/reachability/index.js';
import { rtt } from './measurements/rtt/index.js';
import { throughput } from './measurements/throughput/index.js';
import { trace } from './measurements/trace/index.js';
import { transactions } from './measurements/transactions/index.js';
import { udpLoad } from './measurements/udp-load/index.js';
import type { Tool } from './tool.js';
import { hping3, reachabilityByHping3, rttByHping3, traceByHping3 } from './tools/hping3/index.js';
import { iperf2, transactionsByIperf2 } from './tools/iperf2/index.js';
import { iperf3, throughputByIperf3, udpLoadByIperf3 } from './tools/iperf3/index.js';
import { mtr, traceByMtr } from './tools/mtr/index.js';
import { nuttcp, throughputByNuttcp } from './tools/nuttcp/index.js';
import { hopsByPchar, pchar } from './tools/pchar/index.js';
import { pathMtuByPing, ping, rttByPing } from './tools/ping/index.js';
import { ss } from './tools/ss/version.js';
import { tcpdump } from './tools/tcpdump/index.js';
import { traceByTracepath, tracepath } from './tools/tracepath/index.js';

/** The programs that Plumbline drives. */
export const tools: readonly Tool[] = [iperf3, ping, ss, tcpdump, hping3, mtr, tracepath, pchar, iperf2, nuttcp];

/** Which tool can measure what. A new one is a folder and a line here. */
export const abilities: readonly Ability[] = [
  throughputByIperf3,
  rttByPing,
  udpLoadByIperf3,
  pathMtuByPing,
  reachabilityByHping3,
  traceByMtr,
  traceByTracepath,
  traceByHping3,
  hopsByPchar,
  transactionsByIperf2,
  throughputByNuttcp,
  rttByHping3,
];

/** What can be measured. A new one is a folder and a line here. */
export const measurements: readonly Pick<Measurement, 'kind' | 'schemaVersion' | 'spec' | 'metrics' | 'sharing'>[] = [
  throughput,
  rtt,
  udpLoad,
  pathMtu,
  reachability,
  trace,
  hops,
  transactions,
];

/** The ability that measures a kind with a tool; undefined: no such ability in this version. */
export const abilityOf = (measures: string, tool: string): Ability | undefined =>
  abilities.find((ability) => ability.measures === measures && ability.tool === tool);
