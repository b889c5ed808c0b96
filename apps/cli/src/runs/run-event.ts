import { End, Outcome, RunState, StepState, Verdict } from '@plumbline/model';
import { z } from 'zod';

const index = z.int().nonnegative();
const known = z.number().nullable();

/** What this room reads of a run's events. Everything else in them is for others. */
const Shapes = {
  run: z.object({ state: RunState, verdict: Verdict.optional() }),
  leg: z.object({ leg: index, state: RunState }),
  step: z.object({ leg: index, step: index, state: StepState, reason: z.string().optional() }),
  attempt: z.object({ leg: index, step: index, attempt: index, repeat: z.int(), outcome: Outcome.nullable() }),
  sample: z.object({
    leg: index,
    step: index,
    attempt: index,
    end: End,
    elapsedMs: z.number(),
    rateBps: known,
    rttMs: known,
    cwndBytes: known,
    sndWndBytes: known,
    inFlightBytes: known.optional(),
    congestionControl: z.string().nullable().optional(),
    retransmits: known,
  }),
} as const;

export type RunProgressEvent = {
  [K in keyof typeof Shapes]: { type: K } & z.output<(typeof Shapes)[K]>;
}[keyof typeof Shapes];
export type SampleEvent = Extract<RunProgressEvent, { type: 'sample' }>;

/** Reads an event; undefined for a type that we do not know (a newer control plane), or that we cannot read. */
export function parseRunEvent(type: string, data: unknown): RunProgressEvent | undefined {
  switch (type) {
    case 'run':
      return tagged('run', Shapes.run.safeParse(data));
    case 'leg':
      return tagged('leg', Shapes.leg.safeParse(data));
    case 'step':
      return tagged('step', Shapes.step.safeParse(data));
    case 'attempt':
      return tagged('attempt', Shapes.attempt.safeParse(data));
    case 'sample':
      return tagged('sample', Shapes.sample.safeParse(data));
    default:
      return undefined;
  }
}

const tagged = <T extends string, D extends object>(
  type: T,
  { data }: { success: boolean; data?: D | undefined },
): ({ type: T } & D) | undefined => (data === undefined ? undefined : { type, ...data });
