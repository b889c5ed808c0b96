import { z } from 'zod';

/** Numbers are strings before 0.94 (`"count": "1"`) and numbers since. */
const count = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);
const number = z.number().nullish().catch(undefined);
/** Milliseconds: none is negative, and none is longer than a trace may last. */
const time = z.number().min(0).max(3_600_000).nullish().catch(undefined);

const Hub = z.object({
  /** A TTL has eight bits. */
  count: count.pipe(z.int().min(1).max(255)),
  host: z.string(),
  'Loss%': number,
  Snt: count.nullish().catch(undefined),
  Avg: time,
  Best: time,
  Wrst: time,
});
const Document = z.object({
  report: z.object({ mtr: z.looseObject({ dst: z.string().nullish() }).nullish(), hubs: z.array(z.unknown()) }),
});

export interface MtrHop {
  readonly hop: number;
  /** Absent: nobody answered (mtr prints `???`). */
  readonly host?: string;
  readonly sent: number;
  readonly answered: number;
  readonly rttMinMs?: number;
  readonly rttMeanMs?: number;
  readonly rttMaxMs?: number;
}
export type MtrRead =
  | { readonly hops: readonly MtrHop[]; readonly notes: readonly string[] }
  | { readonly problem: 'output-empty' | 'output-unreadable'; readonly notes: readonly string[] };

/** Up to 0.92 the list is not closed when nothing answered: `"hubs": [  }` (mtr issue 283; ui/report.c, json_close). */
const UNCLOSED = /("hubs"\s*:\s*\[)\s*\}/;

/** Reads `mtr --json` of 0.87 to 0.96. Never throws; a hop that does not have its form is left out and noted. */
export function parseMtr(stdout: string): MtrRead {
  const notes: string[] = [];
  const start = stdout.indexOf('{');
  if (stdout.trim() === '') return { problem: 'output-empty', notes };
  if (start > 0 && stdout.slice(0, start).trim() !== '')
    notes.push(`mtr printed before its JSON: ${stdout.slice(0, start).trim().slice(0, 120)}`);
  const repaired = UNCLOSED.test(stdout);
  const document = Document.safeParse(jsonOf(stdout.slice(Math.max(0, start)).replace(UNCLOSED, '$1]}')));
  if (!document.success) return { problem: 'output-unreadable', notes };
  if (repaired) notes.push('no hop answered, and this mtr did not close its list: repaired');
  const hops = document.data.report.hubs.flatMap((raw, i) => {
    const hub = Hub.safeParse(raw);
    if (!hub.success) notes.push(`hop ${i + 1} of mtr's list could not be read`);
    return hub.success ? [hopOf(hub.data)] : [];
  });
  const once = hops.filter(({ hop }, i) => hops.findIndex((other) => other.hop === hop) === i);
  if (once.length < hops.length) notes.push("mtr's list names a hop twice: only its first line counts");
  return { hops: once, notes };
}

function hopOf(hub: z.output<typeof Hub>): MtrHop {
  const sent = hub.Snt ?? 0;
  const lossPercent = hub['Loss%'] ?? 100;
  // mtr tells the share; the count is what it was made of.
  const answered = Math.max(0, Math.min(sent, Math.round(sent * (1 - lossPercent / 100))));
  const silent = hub.host === '???' || answered === 0;
  if (silent) return { hop: hub.count, sent, answered: 0 };
  const times = { rttMinMs: hub.Best ?? undefined, rttMeanMs: hub.Avg ?? undefined, rttMaxMs: hub.Wrst ?? undefined };
  return { hop: hub.count, host: hub.host, sent, answered, ...times };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
