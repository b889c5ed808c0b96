import { z } from 'zod';
import { FindingCode } from './finding.js';
import { Name } from './names.js';

/** One key of sysctl(8) that has to change. */
export const SettingChange = z
  .object({
    key: z.string(),
    /** As the host's snapshot had it. */
    current: z.string(),
    proposed: z.string(),
    why: z.string(),
    /** Who owns the key: a network namespace has `namespace` ones to itself, `host` ones are shared by all. */
    scope: z.enum(['namespace', 'host']),
    /** The most memory that one connection may now take, B. */
    costBytes: z.number().optional(),
  })
  .meta({ id: 'SettingChange' });
export type SettingChange = z.output<typeof SettingChange>;

/** What to install on one end of a path. */
export const HostAdvice = z
  .object({
    end: z.enum(['source', 'destination']),
    probe: Name,
    changes: z.array(SettingChange),
    /** Where the file belongs, and its whole text. Absent: nothing is to change by a file. */
    file: z.object({ path: z.string(), text: z.string() }).optional(),
    /** Commands, in order. */
    apply: z.array(z.string()),
    undo: z.array(z.string()),
    /** What not to do, and what to look out for. */
    cautions: z.array(z.string()),
    /** Facts of the host that are not known, without which nothing is proposed. */
    missing: z.array(z.string()),
  })
  .meta({ id: 'HostAdvice' });
export type HostAdvice = z.output<typeof HostAdvice>;

/** Somebody who can act where no setting of these hosts helps. */
export const AdviceRequest = z
  .object({
    code: FindingCode,
    who: z.enum(['carrier', 'application owner', 'host administrator', 'network administrator']),
    ask: z.string(),
  })
  .meta({ id: 'AdviceRequest' });
export type AdviceRequest = z.output<typeof AdviceRequest>;

/** What to change for a path, from what a run found, and what would not help. */
export const Advice = z
  .object({
    path: Name,
    ruleSet: z.string(),
    summary: z.string(),
    /** What the buffers are made for. Absent: not known, so no buffer is proposed. */
    target: z.object({ rateBps: z.number(), rttMs: z.number(), bdpBytes: z.number() }).optional(),
    hosts: z.array(HostAdvice),
    requests: z.array(AdviceRequest),
  })
  .meta({ id: 'Advice' });
export type Advice = z.output<typeof Advice>;
