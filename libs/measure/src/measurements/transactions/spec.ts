import { z } from 'zod';

export const transactionLimits = {
  durationS: z.int().min(1).max(3600),
  /** iperf 2's own header, which every request carries, has up to 64 bytes (include/payloads.h, struct bounceback_hdr). */
  messageBytes: z
    .int()
    .min(64)
    .max(16 * 1024 * 1024),
};

/**
 * Requests and replies over one TCP connection, one at a time, back to back: each waits for the reply to the one before.
 * `underLoad` runs a TCP stream in the direction of the requests beside them.
 */
export const TransactionsSpec = z
  .strictObject({
    requestBytes: transactionLimits.messageBytes,
    replyBytes: transactionLimits.messageBytes,
    durationS: transactionLimits.durationS,
    underLoad: z.boolean().default(false),
  })
  .meta({ id: 'TransactionsSpec' });
export type TransactionsSpec = z.output<typeof TransactionsSpec>;
