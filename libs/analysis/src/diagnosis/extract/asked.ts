import { z } from 'zod';

const number = z.number().finite().positive().optional().catch(undefined);

/**
 * What an attempt was asked for, read loosely: a spec of an older or newer version still tells what it has in common with
 * this one, and a field of another type is as good as absent.
 */
const Asked = z.object({
  direction: z.enum(['forward', 'reverse', 'simultaneous']).optional().catch(undefined),
  durationS: number,
  omitS: z.number().finite().nonnegative().optional().catch(undefined),
  streams: number,
  congestionControl: z.string().optional().catch(undefined),
  windowBytes: number,
  mssBytes: number,
  rateBps: number,
  payloadBytes: number,
  requestBytes: number,
  replyBytes: number,
  underLoad: z.boolean().optional().catch(undefined),
});
export type Asked = z.output<typeof Asked>;

export const askedOf = (spec: unknown): Asked => Asked.safeParse(spec).data ?? {};
