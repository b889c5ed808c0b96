import { z } from 'zod';
import type { Segment } from './segment.js';

const count = z.number();
const optional = z.number().optional();

/** What one end of a connection offered in its SYN, and the windows that it advertised afterwards. */
export const CapturedEnd = z.object({
  address: z.string(),
  port: z.int(),
  /** Absent: its SYN was not captured. */
  offer: z
    .object({
      /** Absent: no window-scale option. */
      windowScale: optional,
      mssBytes: optional,
      sackPermitted: z.boolean(),
      timestamps: z.boolean(),
      windowBytes: count,
    })
    .optional(),
  /** Scaled. Absent: nothing after the handshake, or the handshake is missing, so that nobody knows the shift. */
  windows: z.object({ minBytes: count, maxBytes: count, lastBytes: count, zeros: count, count }).optional(),
  payloadBytes: count,
});
export type CapturedEnd = z.output<typeof CapturedEnd>;

export const CapturedConnection = z.object({
  /** Who sent the first SYN, or the first segment. */
  client: CapturedEnd,
  server: CapturedEnd,
  segments: z.int(),
  durationS: count,
  /**
   * Of a whole handshake: both offered scaling; one did not (or its offer was taken out on the way), so that no window can be
   * above 65535 bytes.
   */
  scaling: z.enum(['both', 'missing']).optional(),
});
export type CapturedConnection = z.output<typeof CapturedConnection>;

/** The connections of a capture, the one with most payload first. Pure. */
export function connectionsOf(segments: readonly Segment[]): readonly CapturedConnection[] {
  const groups = new Map<string, Segment[]>();
  for (const segment of segments) {
    const key = [sourceOf(segment), destinationOf(segment)].sort().join(' ');
    const group = groups.get(key);
    if (group) group.push(segment);
    else groups.set(key, [segment]);
  }
  return [...groups.values()].flatMap((group) => connectionOf(group) ?? []).sort((a, b) => payloadOf(b) - payloadOf(a));
}

const sourceOf = ({ source, sourcePort }: Segment): string => `${source} ${sourcePort}`;
const destinationOf = ({ destination, destinationPort }: Segment): string => `${destination} ${destinationPort}`;
const payloadOf = ({ client, server }: CapturedConnection): number => client.payloadBytes + server.payloadBytes;

function connectionOf(segments: readonly Segment[]): CapturedConnection | undefined {
  const first = segments.find(({ syn, ack }) => syn && !ack) ?? segments[0];
  if (!first) return undefined;
  const [fromClient, fromServer] = [sourceOf(first), destinationOf(first)].map((end) =>
    segments.filter((segment) => sourceOf(segment) === end),
  );
  const syn = fromClient?.find((segment) => segment.syn);
  const synAck = fromServer?.find((segment) => segment.syn);
  // RFC 7323 section 2.2: scaled only if both SYNs had the option; shifts above 14 count as 14.
  const both = syn?.windowScale !== undefined && synAck?.windowScale !== undefined;
  const shiftOf = (own: Segment | undefined) =>
    syn && synAck ? (both ? Math.min(14, own?.windowScale ?? 0) : 0) : undefined;
  const times = segments.map(({ atS }) => atS);
  const { source, sourcePort, destination, destinationPort } = first;
  return {
    client: endOf(source, sourcePort, fromClient ?? [], syn, shiftOf(syn)),
    server: endOf(destination, destinationPort, fromServer ?? [], synAck, shiftOf(synAck)),
    segments: segments.length,
    durationS: greatest(times) - least(times),
    ...(syn && synAck ? { scaling: both ? 'both' : 'missing' } : {}),
  };
}

function endOf(
  address: string,
  port: number,
  sent: readonly Segment[],
  syn: Segment | undefined,
  shift: number | undefined,
): CapturedEnd {
  // The window of a SYN is never scaled, that of a reset means nothing.
  const windows = sent.filter((one) => !one.syn && !one.rst).map(({ windowField }) => windowField * 2 ** (shift ?? 0));
  return {
    address,
    port,
    ...(syn ? { offer: offerOf(syn) } : {}),
    ...(shift !== undefined && windows.length > 0 ? { windows: summaryOf(windows) } : {}),
    payloadBytes: sent.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0),
  };
}

const offerOf = (syn: Segment): NonNullable<CapturedEnd['offer']> => ({
  windowScale: syn.windowScale,
  mssBytes: syn.mssBytes,
  sackPermitted: syn.sackPermitted ?? false,
  timestamps: syn.timestamps ?? false,
  windowBytes: syn.windowField,
});

const summaryOf = (windows: readonly number[]): NonNullable<CapturedEnd['windows']> => ({
  minBytes: least(windows),
  maxBytes: greatest(windows),
  lastBytes: windows.at(-1) ?? 0,
  zeros: windows.filter((bytes) => bytes === 0).length,
  count: windows.length,
});

// Not Math.max(...values): a capture has more packets than a call may have arguments.
const greatest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
