import { defineAbility } from '../../ability.js';
import { transactions } from '../../measurements/transactions/index.js';
import { far, longestDurationMs, near, refuses } from './near.js';
import { read } from './read.js';

export const transactionsByIperf2 = defineAbility(transactions, {
  tool: 'iperf2',
  alsoUses: ['ping'],
  refuses,
  far,
  near,
  // Nothing but test traffic reaches the server's port: there is no control connection.
  isDataSocket: () => true,
  read,
  longestDurationMs,
});

export { iperf2 } from './version.js';
