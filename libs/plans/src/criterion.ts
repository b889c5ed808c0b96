import { LabelKey } from '@plumbline/model';
import { z } from 'zod';

/** How a measured value is compared with its limit. The words are for shells and URLs, where `<` is awkward. */
export const Op = z.enum(['<', '<=', '>', '>=', '==', '!=', 'lt', 'le', 'gt', 'ge', 'eq', 'ne']);
export type Op = z.output<typeof Op>;
export type Symbolic = '<' | '<=' | '>' | '>=' | '==' | '!=';

const SYMBOLS: Readonly<Record<Op, Symbolic>> = {
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '==': '==',
  '!=': '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  eq: '==',
  ne: '!=',
};
export const symbolOf = (op: Op): Symbolic => SYMBOLS[op];

/** What a criterion's value may be a ratio of. */
export const Reference = z.enum(['committed-rate', 'expected-rtt', 'expected-loss', 'baseline']);
export type Reference = z.output<typeof Reference>;

/** What a plan demands of a metric. */
export const Criterion = z
  .strictObject({
    test: z.string().min(1).max(63).optional().meta({
      description: 'Name of the test, or its kind where it has no name. Absent: every test that has the metric.',
    }),
    metric: z.string().min(1).max(63),
    labels: z
      .partialRecord(LabelKey, z.string().max(255))
      .optional()
      .meta({ description: 'Only metrics with these labels. Absent: all of that name, and each must hold.' }),
    aggregate: z.enum(['median', 'min', 'max', 'every']).default('median').meta({
      description: "Which value of the repeats counts; every: each repeat's own value must hold.",
    }),
    op: Op,
    value: z.number(),
    of: Reference.optional().meta({
      description:
        "Makes value a ratio of this: the path's committed rate (less headers where the metric counts payload), its expected RTT or loss, or the baseline's value of the same metric.",
    }),
  })
  .meta({ id: 'Criterion' });
export type Criterion = z.output<typeof Criterion>;
