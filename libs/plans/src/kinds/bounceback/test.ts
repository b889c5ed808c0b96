import { transactionLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest } from '../../parameters.js';

const { messageBytes, durationS, omitS } = transactionLimits;
const DEFAULT_REQUEST_BYTES = 100;

/** Requests and replies one at a time, as a chatty application sends them. `direction` is that of the requests. */
export const BouncebackTest = z
  .strictObject({
    kind: z.literal('bounceback'),
    ...everyTest,
    direction,
    requestBytes: messageBytes.default(DEFAULT_REQUEST_BYTES).meta({ description: 'Size of each request.' }),
    replyBytes: messageBytes.optional().meta({
      description:
        'Size of each reply; as large as the request when absent. Another size needs iperf 2.2.0 at both ends.',
    }),
    durationS: durationS.default(10).meta({ description: 'Seconds during which transactions are made.' }),
    omitS: omitS.default(0).meta({
      description: 'Seconds of transactions before, that are not counted. They have a connection of their own.',
    }),
    underLoad: z.boolean().default(false).meta({
      description: 'Runs a TCP stream beside the transactions, after some without it: what load does to latency.',
    }),
  })
  .meta({ id: 'BouncebackTest' });
export type BouncebackTest = z.output<typeof BouncebackTest>;
