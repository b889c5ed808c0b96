import { z } from 'zod';

const n = z.number().optional();

/** The link that leads to one hop. */
export const LinkFit = z.object({
  /** Counts from 1. */
  hop: z.int(),
  /** Who answered; none: silence. Several: the way changed meanwhile. */
  hosts: z.array(z.string()),
  rateBps: n,
  latencyMs: n,
  r2: n,
  sent: z.int(),
  answered: z.int(),
});
export type LinkFit = z.output<typeof LinkFit>;

/** Everything that a characterization of hops said. */
export const HopsResult = z
  .object({ tool: z.string(), reached: z.boolean(), pathRateBps: n, links: z.array(LinkFit) })
  .meta({ id: 'HopsResult' });
export type HopsResult = z.output<typeof HopsResult>;
