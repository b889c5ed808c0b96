import { z } from 'zod';

/** One size, as it was tried. */
export const TriedSize = z.object({
  sizeBytes: z.int(),
  sent: z.int().optional(),
  replies: z.int(),
  /** What ICMP said: packet too big, and the MTU of the next link (RFC 1191, RFC 8201). */
  signals: z.array(z.object({ from: z.string(), mtuBytes: z.int() })),
  /** What this host's own kernel said: its interface, or a path MTU that it remembers. */
  localMtuBytes: z.int().optional(),
  /** Other ICMP errors. */
  errors: z.array(z.object({ from: z.string(), text: z.string() })),
});
export type TriedSize = z.output<typeof TriedSize>;

/**
 * signalled: a hop names the MTU. local: this host's interface or memory names it. ceiling: everything passes. black-hole:
 * larger packets vanish in silence. no-echo: not even small ones are answered, so echoes are filtered or the far end is
 * down. unreachable: a hop says that the far end cannot be reached.
 */
export const PathMtuVerdict = z.enum(['signalled', 'local', 'ceiling', 'black-hole', 'no-echo', 'unreachable']);
export type PathMtuVerdict = z.output<typeof PathMtuVerdict>;

/** Everything that a path MTU measurement said. */
export const PathMtuResult = z
  .object({
    tool: z.string(),
    verdict: PathMtuVerdict,
    /** Largest that gets through; absent: nobody knows. */
    mtuBytes: z.int().optional(),
    refusedBytes: z.int().optional(),
    /** The hop that says so. */
    hop: z.string().optional(),
    sizes: z.array(TriedSize),
    /** tracepath's word, a second method: UDP and the hops' time-exceeded messages. */
    tracepath: z.object({ mtuBytes: z.int().optional(), from: z.string().optional(), reached: z.boolean() }).optional(),
  })
  .meta({ id: 'PathMtuResult' });
export type PathMtuResult = z.output<typeof PathMtuResult>;
