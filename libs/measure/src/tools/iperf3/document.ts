import { z } from 'zod';
import { findObjects, parseObject } from './json.js';

const number = z.number().nullish();
const text = z.string().nullish();

const Sum = z.object({
  start: number,
  end: number,
  seconds: number,
  bytes: number,
  bits_per_second: number,
  retransmits: number,
  omitted: z.boolean().nullish(),
  sender: z.boolean().nullish(),
});
const IntervalStream = Sum.extend({ socket: number, snd_cwnd: number, snd_wnd: number, rtt: number, rttvar: number });
const Interval = z.object({
  streams: z.array(IntervalStream).nullish(),
  sum: Sum.nullish(),
  sum_bidir_reverse: Sum.nullish(),
});
const EndStream = z.object({
  sender: Sum.extend({
    max_snd_cwnd: number,
    max_snd_wnd: number,
    max_rtt: number,
    min_rtt: number,
    mean_rtt: number,
  }).nullish(),
  receiver: Sum.nullish(),
});
const Cpu = z.object({ host_total: number, remote_total: number, remote_user: number, remote_system: number });

/** The parts of iperf3's JSON that we read (src/iperf_api.c, 3.9 to 3.21). Every part may be missing. */
const Iperf3Document = z.object({
  start: z
    .object({
      connected: z
        .array(z.object({ local_host: text, local_port: number, remote_host: text, remote_port: number }))
        .nullish(),
      version: text,
      tcp_mss: number,
      tcp_mss_default: number,
      sock_bufsize: number,
      sndbuf_actual: number,
      rcvbuf_actual: number,
      test_start: z
        .object({ protocol: text, num_streams: number, omit: number, duration: number, reverse: number, bidir: number })
        .nullish(),
    })
    .nullish(),
  intervals: z.array(Interval).nullish(),
  end: z
    .object({
      streams: z.array(EndStream).nullish(),
      sum_sent: Sum.nullish(),
      sum_received: Sum.nullish(),
      sum_sent_bidir_reverse: Sum.nullish(),
      sum_received_bidir_reverse: Sum.nullish(),
      cpu_utilization_percent: Cpu.nullish(),
      sender_tcp_congestion: text,
      receiver_tcp_congestion: text,
    })
    .nullish(),
  /** Its mere presence means that the test failed, whatever its type and whatever the exit code. */
  error: z.unknown().optional(),
});
export type Iperf3Document = z.output<typeof Iperf3Document>;
export type Iperf3Sum = z.output<typeof Sum>;
export type Iperf3Interval = z.output<typeof Interval>;

export type DocumentRead =
  | { readonly document: Iperf3Document; readonly notes: readonly string[] }
  | { readonly problem: 'output-empty' | 'output-unreadable'; readonly notes: readonly string[] };

/** Reads what `iperf3 -J` (or --json-stream) printed, client or server. Never throws. */
export function readDocument(stdout: string): DocumentRead {
  const notes: string[] = [];
  if (stdout.trim() === '') return { problem: 'output-empty', notes };
  const { objects, before, rest } = findObjects(stdout);
  if (before.trim() !== '') notes.push(`iperf3 printed before its JSON: ${shortened(before)}`);
  if (rest.trim() !== '') notes.push(`iperf3's output does not end with its JSON: ${shortened(rest)}`);
  const values = objects.flatMap((object) => {
    const parsed = parseObject(object);
    if (!parsed) notes.push(`not JSON: ${shortened(object)}`);
    if (parsed?.repaired) notes.push('bare nan or inf in the JSON was read as unknown');
    return parsed ? [parsed.value] : [];
  });
  const raw = assemble(values);
  // A line of the stream that is cut can be followed by nothing; a whole document that is cut leaves nothing to read.
  const document = raw === undefined ? undefined : leniently(raw, notes);
  return document ? { document, notes } : { problem: 'output-unreadable', notes };
}

const Event = z.object({ event: z.string(), data: z.unknown() });

/** The last whole document; else a document made of the events of --json-stream (3.17), the last of a kind winning. */
function assemble(values: readonly unknown[]): unknown {
  const whole = values.filter((value) => !Event.safeParse(value).success).at(-1);
  if (whole !== undefined) return whole;
  const events = values.map((value) => Event.parse(value));
  if (events.length === 0) return undefined;
  const last = (name: string) => events.filter(({ event }) => event === name).at(-1)?.data;
  const intervals = events.filter(({ event }) => event === 'interval').map(({ data }) => data);
  return { start: last('start'), intervals, end: last('end'), error: last('error') };
}

/** Takes out what does not have its form, and says so, so that one odd field does not cost the rest. */
function leniently(raw: unknown, notes: string[]): Iperf3Document | undefined {
  const first = Iperf3Document.safeParse(raw);
  if (first.success) return first.data;
  for (const issue of first.error.issues) {
    notes.push(`${issue.path.join('.') || 'the document'}: ${issue.message}`);
    removeAt(raw, issue.path);
  }
  return Iperf3Document.safeParse(raw).data;
}

function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), root);
  const key = path.at(-1);
  if (!isObject(parent) || key === undefined) return;
  // An element of a list leaves an empty one behind, so that the others keep their places.
  parent[key] = Array.isArray(parent) ? {} : undefined;
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null;

export const shortened = (words: string): string => {
  const line = words.trim().replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
};
