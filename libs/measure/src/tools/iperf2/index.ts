import { defineAbility } from '../../ability.js';
import { transactions } from '../../measurements/transactions/index.js';
import { far, isLoadSocket, longestDurationMs, morePorts, near, refuses } from './near.js';
import { read } from './read.js';

export const transactionsByIperf2 = defineAbility(transactions, {
  tool: 'iperf2',
  alsoUses: ['ping'],
  refuses,
  far,
  morePorts,
  near,
  isDataSocket: isLoadSocket,
  read,
  longestDurationMs,
});

export { iperf2 } from './version.js';
