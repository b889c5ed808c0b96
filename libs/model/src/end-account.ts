import { z } from 'zod';
import { End } from './socket-sample.js';

const n = z.number().optional();

/** What the readings of one end's data sockets say, while the test's counted part ran. Windows are those of the widest socket. */
export const SampledSockets = z.object({
  count: z.int(),
  /** Readings of all of them together. */
  samples: z.int(),
  mssBytes: n,
  rttMeanMs: n,
  cwndMaxBytes: n,
  /** The peer's window as this end saw it. */
  sndWndMaxBytes: n,
  /** What this end advertised. */
  rcvWndMaxBytes: n,
  sndBufMaxBytes: n,
  rcvBufMaxBytes: n,
  /** Shifts of the window-scale option; absent: not negotiated, or the sockets differ. */
  sndWscale: n,
  rcvWscale: n,
});

/** One end's part in an attempt that moves data between both: what it did, and what was learnt of it. Absent: unknown. */
export const EndAccount = z
  .object({
    end: End,
    role: z.enum(['sender', 'receiver']),
    /** Only where data went both ways at once: then each end is there twice. */
    direction: z.enum(['forward', 'reverse']).optional(),
    toolVersion: z.string().optional(),
    /** What its sockets really ran, as sampled; where none was seen, what the tool says. */
    congestionControl: z.string().optional(),
    /** Whether that comes from sampled sockets. */
    congestionControlSampled: z.boolean(),
    /** CPU time of the program by wall-clock time, of one core. */
    cpuRatio: n,
    sockets: SampledSockets.optional(),
    /** Which of the attempt's metrics this end measured. */
    measured: z.array(z.string()),
  })
  .meta({ id: 'EndAccount' });
export type EndAccount = z.output<typeof EndAccount>;
