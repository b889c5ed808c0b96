import { Name } from '@plumbline/model';
import { z } from 'zod';
import { LabError } from './lab-error.js';

/** The hosts of a lab, each a network namespace: `client - link 1 - router - link 2 - server`. */
export const HOSTS = ['client', 'router', 'server'] as const;
export type Host = (typeof HOSTS)[number];

export const LINKS = [1, 2] as const;
export type LinkNumber = (typeof LINKS)[number];

/** `ab` runs from the client's side to the server's, `ba` the other way. */
export type Direction = 'ab' | 'ba';

export interface Interface {
  host: Host;
  name: string;
  ipv4: string;
  ipv6: string;
}

interface LinkPlace {
  link: LinkNumber;
  a: Interface;
  b: Interface;
}

export const IPV4_PREFIX = 26;
export const IPV6_PREFIX = 64;

/** Documentation addresses (RFC 5737, RFC 3849): they never meet a real network. */
export const LINK_PLACES: readonly [LinkPlace, LinkPlace] = [
  {
    link: 1,
    a: { host: 'client', name: 'wan0', ipv4: '192.0.2.1', ipv6: '2001:db8:0:1::1' },
    b: { host: 'router', name: 'wan1', ipv4: '192.0.2.2', ipv6: '2001:db8:0:1::2' },
  },
  {
    link: 2,
    a: { host: 'router', name: 'wan2', ipv4: '192.0.2.65', ipv6: '2001:db8:0:2::1' },
    b: { host: 'server', name: 'wan0', ipv4: '192.0.2.66', ipv6: '2001:db8:0:2::2' },
  },
];

export const namespaceOf = (lab: string, host: Host): string => `plumb-${lab}-${host}`;
/** Where iproute2 keeps its named namespaces (ip-netns(8)). */
export const namespacePath = (lab: string, host: Host): string => `/run/netns/${namespaceOf(lab, host)}`;

const DirectionOptions = z.strictObject({
  /** Bits of IP packets a second. */
  rateBps: z.number().min(1e3).max(1e11).optional(),
  /** One-way, beyond what the rate and the queue take. */
  delayMs: z.number().min(0).max(10_000).optional(),
  /** Drop-tail limit. */
  queueBytes: z
    .int()
    .min(0)
    .max(32 * 1024 * 1024)
    .optional(),
  lossRatio: z.number().min(0).max(1).optional(),
});
const LinkOptions = DirectionOptions.extend({ ab: DirectionOptions.optional(), ba: DirectionOptions.optional() });
/** What is given for both directions, and what differs in one of them. */
export type LinkOptions = z.output<typeof LinkOptions>;

export const PathOptions = z.strictObject({
  link1: LinkOptions.optional(),
  link2: LinkOptions.optional(),
  /** Of every interface, 576 to 9000. */
  mtuBytes: z.int().min(576).max(9000).optional(),
  /** Makes the random streams of loss, duplication and reordering repeatable. */
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .optional(),
});
export type PathOptions = z.output<typeof PathOptions>;

export interface DirectionSettings {
  rateBps: number;
  delayMs: number;
  queueBytes: number;
  lossRatio: number;
}
export type LinkSettings = Readonly<Record<Direction, DirectionSettings>>;

export interface PathSettings {
  links: readonly [LinkSettings, LinkSettings];
  mtuBytes: number;
  seed?: number;
}

const QUEUE_BYTES = 150_000;
/** The seed path: 100 Mbit/s 2 ms, then 20 Mbit/s 20 ms, 150 KB queues. 44 ms there and back. */
const SEED_LINKS: readonly [DirectionSettings, DirectionSettings] = [
  { rateBps: 100e6, delayMs: 2, queueBytes: QUEUE_BYTES, lossRatio: 0 },
  { rateBps: 20e6, delayMs: 20, queueBytes: QUEUE_BYTES, lossRatio: 0 },
];

/** Fast enough and deep enough never to be what limits a path. */
const TRANSPARENT: DirectionSettings = { rateBps: 10e9, delayMs: 0, queueBytes: 8_000_000, lossRatio: 0 };

/**
 * A path of one rate and one round-trip time: all of it on link 2, with a link 1 that is never felt.
 * @param queueBytes of link 2; 150 KB unless given. A queue below the bandwidth-delay product limits a flow by itself.
 */
export function pathOf(rateBps: number, rttMs: number, queueBytes = QUEUE_BYTES): Pick<PathOptions, 'link1' | 'link2'> {
  return { link1: { ...TRANSPARENT }, link2: { rateBps, delayMs: rttMs / 2, queueBytes, lossRatio: 0 } };
}

/**
 * Fills in the seed path's figures where none are given.
 * @throws {LabError} invalid-options
 */
export function settlePath(options: PathOptions): PathSettings {
  const parsed = parseOptions(PathOptions, options);
  return {
    links: [settleLink(SEED_LINKS[0], parsed.link1), settleLink(SEED_LINKS[1], parsed.link2)],
    mtuBytes: parsed.mtuBytes ?? 1500,
    ...(parsed.seed === undefined ? {} : { seed: parsed.seed }),
  };
}

function settleLink(seed: DirectionSettings, options: LinkOptions = {}): LinkSettings {
  const { ab, ba, ...both } = options;
  return { ab: { ...seed, ...given(both), ...given(ab) }, ba: { ...seed, ...given(both), ...given(ba) } };
}

/** Without the fields that are undefined, which a spread would copy over the defaults. */
function given(options: Partial<DirectionSettings> = {}): Partial<DirectionSettings> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** @throws {LabError} invalid-options */
export function parseLabName(name: string): string {
  return parseOptions(Name, name);
}

function parseOptions<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw new LabError('invalid-options', `${where}${issue?.message ?? 'not valid'}`);
}
