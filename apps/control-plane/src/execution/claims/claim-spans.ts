import { createHash } from 'node:crypto';
import type { SharedLink } from '@plumbline/model';
import type { LegEndpoint, LegPath } from '../../persistence/leg-path.js';

/** Slots of one resource. A claim is a span of slots; two overlapping claims are refused by the database. */
export const SLOTS = 65_536n;

/** Half open: `lower` is taken, `upper` is not. */
export interface Span {
  readonly lower: bigint;
  readonly upper: bigint;
}

/** What a leg wants of one resource: one of its `parts` whole (exclusive) or a single slot (shared). */
export interface Want {
  readonly resource: string;
  readonly take: 'part' | 'slot';
  readonly parts: number;
  /** Only has to be free; is not claimed. */
  readonly guard?: boolean;
}
export interface Allotted extends Span {
  readonly resource: string;
}

/** Spans that are held, by the first slot of their resource. */
export type Held = Map<bigint, Span[]>;

export const probeResource = (probe: string): string => `probe/${probe}`;
export const interfaceResource = (probe: string, name: string): string => `probe/${probe}/if/${name}`;
export const linkResource = (link: string): string => `link/${link}`;

/** First slot of a resource: 65536 times a 46-bit hash of its name, so that every span fits an int8range. */
export function firstSlot(resource: string): bigint {
  const known = slotsKnown.get(resource);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(resource).digest();
  const first = (digest.readBigUInt64BE(0) >> 18n) * SLOTS;
  if (slotsKnown.size >= 50_000) slotsKnown.clear();
  slotsKnown.set(resource, first);
  return first;
}
const slotsKnown = new Map<string, bigint>();

/**
 * What a leg wants: on each end its interface, or the whole probe (its root and every interface) when the endpoint names
 * none; and the shared links. An interface's leg also guards the probe's root, so that an interface that was registered
 * after a whole-probe leg began is still not used beside it.
 */
export function wantsOf(
  leg: LegPath,
  exclusive: boolean,
  interfacesOf: (probe: string) => Iterable<string>,
): readonly Want[] {
  const take = exclusive ? 'part' : 'slot';
  const wants = new Map<string, Want>();
  const want = (resource: string, parts: number, guard: boolean): void => {
    const known = wants.get(resource);
    const fewest = Math.min(parts, known?.parts ?? parts);
    wants.set(resource, { resource, take, parts: fewest, ...(guard && (known?.guard ?? true) ? { guard: true } : {}) });
  };
  const wantEndpoint = ({ probe, interface: name }: LegEndpoint): void => {
    want(probeResource(probe), 1, name !== undefined);
    for (const one of name === undefined ? interfacesOf(probe) : [name]) want(interfaceResource(probe, one), 1, false);
  };
  wantEndpoint(leg.source);
  wantEndpoint(leg.destination);
  for (const link of leg.sharedLinks) want(linkResource(linkName(link)), linkCapacity(link), false);
  return [...wants.values()];
}

/**
 * Finds a free place for every want, or nothing at all.
 * @returns what to claim; undefined when the leg has to wait
 */
export function allot(wants: readonly Want[], held: Held): readonly Allotted[] | undefined {
  const allotted: Allotted[] = [];
  const mine: Held = new Map();
  for (const want of wants) {
    const first = firstSlot(want.resource);
    const taken = [...(held.get(first) ?? []), ...(mine.get(first) ?? [])];
    const span = want.take === 'part' ? freePart(first, want.parts, taken) : freeSlot(first, want.parts, taken);
    if (!span) return undefined;
    if (want.guard) continue;
    allotted.push({ resource: want.resource, ...span });
    hold(mine, span);
  }
  return allotted;
}

/** Adds a span to what is held. */
export function hold(held: Held, span: Span): void {
  const first = firstOf(span);
  const spans = held.get(first);
  if (spans) spans.push({ lower: span.lower, upper: span.upper });
  else held.set(first, [{ lower: span.lower, upper: span.upper }]);
}

/** First slot of the resource that a span lies in. */
export const firstOf = ({ lower }: Pick<Span, 'lower'>): bigint => lower - (lower % SLOTS);

export const overlap = (a: Span, b: Span): boolean => a.lower < b.upper && b.lower < a.upper;

function partsOf(first: bigint, count: number): Span[] {
  const width = SLOTS / BigInt(count);
  return Array.from({ length: count }, (_, i) => ({
    lower: first + BigInt(i) * width,
    upper: first + BigInt(i + 1) * width,
  }));
}

function freePart(first: bigint, count: number, taken: readonly Span[]): Span | undefined {
  return partsOf(first, count).find((part) => !taken.some((span) => overlap(part, span)));
}

/** A free slot, in a part that others share already where there is one, so that whole parts stay free for exclusive legs. */
function freeSlot(first: bigint, count: number, taken: readonly Span[]): Span | undefined {
  const parts = partsOf(first, count).map((part) => ({ part, inside: taken.filter((span) => overlap(part, span)) }));
  parts.sort((a, b) => b.inside.length - a.inside.length);
  for (const { part, inside } of parts) {
    const lower = firstGap(part, inside);
    if (lower !== undefined) return { lower, upper: lower + 1n };
  }
  return undefined;
}

function firstGap(part: Span, inside: readonly Span[]): bigint | undefined {
  let at = part.lower;
  for (const span of [...inside].sort((a, b) => (a.lower < b.lower ? -1 : 1))) {
    if (span.lower > at) break;
    if (span.upper > at) at = span.upper;
  }
  return at < part.upper ? at : undefined;
}

const linkName = (link: SharedLink): string => (typeof link === 'string' ? link : link.name);
const linkCapacity = (link: SharedLink): number => (typeof link === 'string' ? 1 : link.capacity);
