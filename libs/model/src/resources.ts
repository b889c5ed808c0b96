import { z } from 'zod';
import { InterfaceName, IpAddress, Name, Port, ProbeAddress } from './names.js';

const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
};
/** An IANA time zone name. */
export const TimeZone = z.string().refine(isTimeZone, 'an IANA time zone, such as Europe/Berlin');

const Labels = z.record(z.string().min(1).max(63), z.string().max(255));

/** A link that several legs may share: its name, or its name with how many exclusive legs may use it at once (default 1). */
export const SharedLink = z.union([Name, z.strictObject({ name: Name, capacity: z.int().min(1).max(64) })]);
export type SharedLink = z.output<typeof SharedLink>;

export const SiteInput = z
  .strictObject({ timeZone: TimeZone, labels: Labels.optional(), sharedLinks: z.array(SharedLink).max(32).optional() })
  .meta({ id: 'SiteInput' });
export const Site = z
  .object({ name: Name, ...SiteInput.shape, createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Site' });
export type SiteInput = z.output<typeof SiteInput>;
export type Site = z.output<typeof Site>;

export const Endpoint = z
  .strictObject({ name: Name, address: IpAddress, interface: InterfaceName.optional() })
  .meta({ id: 'Endpoint' });
export type Endpoint = z.output<typeof Endpoint>;

const endpoints = z
  .array(Endpoint)
  .min(1)
  .max(64)
  .superRefine((list, context) => {
    list.forEach((e, i) => {
      if (list.findIndex((o) => o.name === e.name) !== i)
        context.addIssue({ code: 'custom', path: [i, 'name'], message: `endpoint ${e.name} is named twice` });
    });
  });
export const ProbeInput = z
  .strictObject({ name: Name, site: Name, address: ProbeAddress, endpoints })
  .meta({ id: 'ProbeInput' });
export const ProbePatch = z
  .strictObject({ site: Name.optional(), address: ProbeAddress.optional(), endpoints: endpoints.optional() })
  .meta({ id: 'ProbePatch' });
export const ProbeState = z.enum(['up', 'down', 'unknown', 'incompatible']);
export const Probe = z
  .object({
    name: Name,
    site: Name,
    address: z.string(),
    endpoints: z.array(Endpoint),
    state: ProbeState,
    reason: z.string().optional(),
    version: z.string().nullable(),
    enrolled: z.boolean(),
    certificateNotAfter: z.iso.datetime().nullable(),
    /** Tools found on the host, by name, with the version that each prints; null: missing. */
    tools: z.record(z.string(), z.string().nullable()),
    congestionControls: z.array(z.string()),
    clockOffsetMs: z.number().nullable(),
    lastSeenAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Probe' });
export type ProbeInput = z.output<typeof ProbeInput>;
export type ProbePatch = z.output<typeof ProbePatch>;
export type Probe = z.output<typeof Probe>;

const EndpointRef = z.strictObject({ probe: Name, endpoint: Name });
const ratio = z.number().min(0).max(1);
const serviceHours = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'hours as 08:00-20:00');
export const Contract = z
  .strictObject({
    timeZone: TimeZone,
    availabilityRatio: ratio.optional(),
    serviceHours: serviceHours.optional(),
    maxRttMs: z.number().positive().optional(),
    maxLossRatio: ratio.optional(),
    percentile: z.number().gt(0).max(100).optional(),
  })
  .meta({ id: 'Contract' });
export const PathInput = z
  .strictObject({
    source: EndpointRef,
    destination: EndpointRef,
    committedRateBps: z.number().positive().max(1e15).optional(),
    rateLayer: z.enum(['ethernet', 'ip', 'payload']).default('ip'),
    expectedRttMs: z.number().positive().optional(),
    expectedLossRatio: ratio.optional(),
    mtu: z.int().min(68).max(65535).optional(),
    sharedLinks: z.array(SharedLink).max(32).optional(),
    contract: Contract.optional(),
  })
  .meta({ id: 'PathInput' });
export const Path = z
  .object({ name: Name, ...PathInput.shape, createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Path' });
export type PathInput = z.output<typeof PathInput>;
export type Path = z.output<typeof Path>;

export { Port };
