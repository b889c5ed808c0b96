import { defineAbility } from '../../ability.js';
import { throughput } from '../../measurements/throughput/index.js';
import { longestDurationMs, near, refuses } from './near.js';
import { far, nearFacts } from './peer.js';
import { read } from './read.js';
import { isDataSocket } from './stream-ports.js';

export const throughputByIperf3 = defineAbility(throughput, {
  tool: 'iperf3',
  alsoUses: ['ping'],
  refuses,
  nearFacts: (_spec, host) => nearFacts(host),
  far,
  near,
  localPorts: (spec) => spec.streams,
  isDataSocket,
  read,
  longestDurationMs,
});

export { udpLoadByIperf3 } from './udp.js';
export { iperf3 } from './version.js';
