import { defineAbility } from '../../ability.js';
import { throughput } from '../../measurements/throughput/index.js';
import { withCapture } from '../tcpdump/index.js';
import { far, isDataSocket, longestDurationMs, near, refuses } from './near.js';
import { read } from './read.js';

/** A second opinion on the same path: another program, another count at the receiver. */
export const throughputByNuttcp = defineAbility(
  throughput,
  withCapture({
    tool: 'nuttcp',
    alsoUses: ['ping'],
    refuses,
    far,
    morePorts: () => 1,
    near,
    isDataSocket,
    read,
    longestDurationMs,
  }),
);

export { nuttcp } from './version.js';
