import { z } from 'zod';
import { LabelKey } from './metric.js';

export const FindingCode = z.enum([
  'link-limited',
  'receive-window-limited',
  'send-buffer-limited',
  'application-window-limited',
  'window-scaling-missing',
  'loss-limited',
  'congestion-control-mismatch',
  'policed',
  'per-flow-capped',
  'host-cpu-limited',
  'rtt-bound',
  'mtu-black-hole',
  'fragmentation',
  'reordering',
  'bufferbloat',
  'asymmetric',
  'startup-dominated',
  'competing-traffic',
  'parallel-hides-single-flow',
  'below-committed-rate',
  'inconclusive',
]);
export type FindingCode = z.output<typeof FindingCode>;

/** Whose limit it is: a setting or the speed of a host at either end, the path between them, or nobody knows. */
export const LimitOwner = z.enum(['our-host', 'path', 'unknown']);
export type LimitOwner = z.output<typeof LimitOwner>;

/** What the diagnosis concluded, with the numbers that show it; prose is made from `evidence` last. */
export const Finding = z
  .object({
    code: FindingCode,
    holds: z.enum(['yes', 'no', 'cannot-tell']),
    /** Which of the step's flows it is about: direction, algorithm, windowBytes, streams. Absent: the step as a whole. */
    labels: z.partialRecord(LabelKey, z.string()).optional(),
    /** Named numbers with their units in the names: windowBytes, rttMs, measuredBps, ... */
    evidence: z.record(z.string(), z.number()),
    /** What theory allows under this limit alone, at the receiver, payload; only where it has a closed form. */
    predictedCeilingBps: z.number().optional(),
    /** Facts that the rule lacked, in the words of its documentation; only with `cannot-tell`. */
    missing: z.array(z.string()).optional(),
    /** What would tell: a test to run, a tool to install. */
    measureNext: z.array(z.string()).optional(),
    text: z.string().optional(),
  })
  .meta({ id: 'Finding' });
export type Finding = z.output<typeof Finding>;

/** Measured against what the path's contract promises, at the contract's layer. */
export const ContractMeasure = z
  .object({
    committedRateBps: z.number(),
    rateLayer: z.enum(['ethernet', 'ip', 'payload']),
    /** The best evidence of what the path carries, headers of that layer added. */
    measuredRateBps: z.number().nullable(),
    /** measured / committed: 0.18 of what is paid for. */
    ratio: z.number().nullable(),
    /** Which test it comes from, and how: one flow is no evidence against a carrier. */
    basis: z.enum(['udp', 'multi-flow', 'single-flow', 'none']),
    expectedRttMs: z.number().optional(),
    measuredRttMs: z.number().optional(),
    expectedLossRatio: z.number().optional(),
    measuredLossRatio: z.number().optional(),
  })
  .meta({ id: 'ContractMeasure' });
export type ContractMeasure = z.output<typeof ContractMeasure>;

/** What a leg's tests say together. Its findings stand at the steps. */
export const Diagnosis = z
  .object({
    /** Version of the rules that made it: a newer set may conclude otherwise from the same facts. */
    ruleSet: z.string(),
    /** The first thing shown: "180 of 1000 Mbit/s, 18 % of what you pay for; the receive window of our host limits it". */
    headline: z.string(),
    limitedBy: LimitOwner,
    /** The finding that explains the measured rate best; absent: none holds. */
    primary: FindingCode.optional(),
    contract: ContractMeasure.optional(),
  })
  .meta({ id: 'Diagnosis' });
export type Diagnosis = z.output<typeof Diagnosis>;
