import { defineAbility } from '../../ability.js';
import { throughput, waysOf } from '../../measurements/throughput/index.js';
import { withCapture } from '../tcpdump/index.js';
import { longestDurationMs, near, refuses } from './near.js';
import { far, nearFacts } from './peer.js';
import { read } from './read.js';
import { isDataSocket } from './stream-ports.js';

export const throughputByIperf3 = defineAbility(
  throughput,
  withCapture({
    tool: 'iperf3',
    alsoUses: ['ping'],
    refuses,
    nearFacts: (_spec, host) => nearFacts(host),
    far,
    near,
    localPorts: (spec) => spec.streams * waysOf(spec),
    isDataSocket,
    read,
    longestDurationMs,
  }),
);

export { udpLoadByIperf3 } from './udp.js';
export { iperf3 } from './version.js';
