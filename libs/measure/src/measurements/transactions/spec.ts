import { z } from 'zod';

export const transactionLimits = {
  durationS: z.int().min(1).max(3600),
  omitS: z.int().min(0).max(60),
  /** iperf 2's own header, which every request carries, has up to 64 bytes (include/payloads.h, struct bounceback_hdr). */
  messageBytes: z
    .int()
    .min(64)
    .max(16 * 1024 * 1024),
};

/**
 * Requests and replies over one TCP connection, one at a time, back to back: each waits for the reply to the one before.
 * `omitS`: as many seconds of them come first, on a connection of their own, and are not counted: iperf 2 cannot leave out the
 * first seconds of a connection. `underLoad` runs a TCP stream in the direction of the requests beside them.
 */
export const TransactionsSpec = z
  .strictObject({
    requestBytes: transactionLimits.messageBytes,
    replyBytes: transactionLimits.messageBytes,
    durationS: transactionLimits.durationS,
    omitS: transactionLimits.omitS.optional(),
    underLoad: z.boolean().default(false),
  })
  .meta({ id: 'TransactionsSpec' });
export type TransactionsSpec = z.output<typeof TransactionsSpec>;
