import { z } from 'zod';

const number = z.number();

/** One series of transactions as the client counted it. */
export const TransactionSeries = z.object({
  count: z.int(),
  durationS: number,
  minMs: number,
  meanMs: number,
  maxMs: number,
  stdevMs: number.optional(),
  histogram: z
    .object({
      binMs: number,
      bins: z.array(z.object({ bin: z.int(), count: z.int() })),
      above: z.int(),
    })
    .optional(),
});
export type TransactionSeries = z.output<typeof TransactionSeries>;

/** Everything that a transactions attempt said. Absent: nobody said, or it was not asked for. */
export const TransactionsResult = z
  .object({
    tool: z.string(),
    requestBytes: z.int(),
    replyBytes: z.int(),
    underLoad: z.boolean(),
    series: TransactionSeries,
    idle: TransactionSeries.optional(),
    load: z
      .object({
        rateBps: number,
        at: z.enum(['receiver', 'sender']),
        durationS: number,
        congestionControl: z.string().optional(),
      })
      .optional(),
    baseline: z.object({ sent: z.int(), received: z.int(), minMs: number.optional() }).optional(),
    retransmits: number.optional(),
  })
  .meta({ id: 'TransactionsResult' });
export type TransactionsResult = z.output<typeof TransactionsResult>;
