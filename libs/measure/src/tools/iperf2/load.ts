import type { AttemptOutput, PhaseOutput } from '../../ability.js';
import type { TransactionsResult } from '../../measurements/transactions/index.js';
import { complaintOf } from './ending.js';
import { isLoadSocket } from './near.js';
import { parseIperf2, totalOf } from './parse.js';

export interface LoadRead {
  readonly load?: TransactionsResult['load'];
  /** Why it cannot be said that the load was there all the while. */
  readonly problem?: string;
}

/** iperf 2 tells the second in which a connection was set up. */
const CLOCK_S = 1;

/** The load as the receiver counted it, else the sender; and whether it really ran beside the whole test. */
export function readLoad({ phases, samples }: AttemptOutput, test: PhaseOutput): LoadRead {
  const load = phases.find(({ end, name }) => end === 'near' && name === 'load');
  const server = phases.find(({ end, name }) => end === 'far' && name === 'load-server');
  if (!load) return { problem: 'The load did not run.' };
  const sent = parseIperf2(load.stdout);
  const total = totalOf(sent.transfers);
  if (!total) return { problem: `The load carried nothing: ${complaintOf(load) ?? 'iperf printed no result.'}` };
  const [own] = sent.connections;
  const [tested] = parseIperf2(test.stdout).connections;
  const lasted = totalOf(parseIperf2(test.stdout).bounceback)?.endS ?? 0;
  const received = own && receivedRate(server, own.localPort);
  const rateBps = received ?? total.rateBps;
  const read = {
    rateBps,
    at: received === undefined ? ('sender' as const) : ('receiver' as const),
    durationS: total.endS,
    congestionControl: samples.find((sample) => isLoadSocket(sample, phases))?.congestionControl,
  };
  if (own?.atS === undefined || tested?.atS === undefined) return { load: read };
  const covers = own.atS <= tested.atS && own.atS + total.endS >= tested.atS + lasted - CLOCK_S;
  return covers ? { load: read } : { load: read, problem: 'The load did not last as long as the transactions.' };
}

/** What the server counted on the connection with that client port. */
function receivedRate(server: PhaseOutput | undefined, clientPort: number): number | undefined {
  if (!server) return undefined;
  const { connections, transfers } = parseIperf2(server.stdout);
  const connection = connections.find(({ peerPort }) => peerPort === clientPort);
  return connection && totalOf(transfers.filter(({ id }) => id === connection.id))?.rateBps;
}
