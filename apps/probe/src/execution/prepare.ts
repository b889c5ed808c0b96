import type { Ability, PreparedAbility } from '@plumbline/measure';
import { ended, IpAddress } from '@plumbline/model';
import { type Claim, SPEC_MAX_BYTES, type Spec, specKind } from '@plumbline/probe-rpc';
import type { Configuration, ProbeEndpoint } from '../configuration.js';
import { AttemptId } from '../spool/spool.js';
import { type Claimed, WHOLE_PROBE } from './fences.js';
import { Refused } from './refused.js';

/** What a request asks for, read and understood. */
export interface Asked {
  readonly id: string;
  readonly claim: Claim;
  readonly claimed: Claimed;
  readonly endpoint: ProbeEndpoint;
  readonly ability: Ability;
  readonly kind: string;
  readonly prepared: PreparedAbility;
  /** The probe's own limit for the attempt, whoever is still there. */
  readonly longestMs: number;
}

/** Longer timers than this fire at once in Node. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws {Refused} with the reason and what is wrong */
export function readRequest(
  request: { readonly claim?: Claim; readonly spec?: Spec; readonly endpoint: string },
  { endpoints, abilities, name }: Configuration,
): Asked {
  const claim = request.claim ?? refuse('There is no claim.');
  readId(claim.attemptId);
  const endpoint = endpoints.find((candidate) => candidate.name === request.endpoint);
  if (!endpoint) throw new Refused(ended('endpoint-unknown', `The probe ${name} has no endpoint ${request.endpoint}.`));
  const spec = request.spec ?? refuse('There is no spec.');
  const ability = abilities.find((candidate) => specKind(candidate) === spec.kind);
  if (!ability) return refuse(`This probe cannot run ${spec.kind}.`);
  if (claim.shared && ability.sharing === 'exclusive')
    refuse(`${spec.kind} needs its interface alone, and the claim is a shared one.`);
  const prepared = prepare(ability, spec);
  const longestMs = Math.min(claim.longestDurationMs || LONGEST_MS, prepared.longestDurationMs, LONGEST_MS);
  const claimed = { fence: claim.fence, shared: claim.shared, resource: endpoint.interface ?? WHOLE_PROBE };
  return { id: claim.attemptId, claim, claimed, endpoint, ability, kind: spec.kind, prepared, longestMs };
}

/** @throws {Refused} when the id could not be the name of a folder */
export function readId(id: string): string {
  return AttemptId.safeParse(id).success
    ? id
    : refuse('An attempt id has 1 to 100 letters, digits, dashes or underscores.');
}

/** @throws {Refused} when the peer is not an address of the endpoint's family */
export function readPeerAddress(text: string, endpoint: ProbeEndpoint): string {
  if (!IpAddress.safeParse(text).success) refuse('The address of the other end is not an IP address.');
  if (text.includes(':') === endpoint.address.includes(':')) return text;
  throw new Refused(ended('address-family-mismatch', `${endpoint.address} cannot reach ${text}.`));
}

/** The JSON of the other side. @throws {Refused} when it is none */
export function readPeerJson(text: string): unknown {
  try {
    return JSON.parse(text || 'null');
  } catch {
    return refuse("The other side's facts cannot be read.");
  }
}

function prepare(ability: Ability, spec: Spec): PreparedAbility {
  if (spec.schemaVersion !== ability.schemaVersion)
    refuse(`This probe knows version ${ability.schemaVersion} of ${spec.kind}, not ${spec.schemaVersion}.`);
  if (Buffer.byteLength(spec.specJson) > SPEC_MAX_BYTES) refuse(`The spec has more than ${SPEC_MAX_BYTES} bytes.`);
  try {
    return ability.prepare(JSON.parse(spec.specJson));
  } catch (error) {
    return refuse(
      `The spec does not fit: ${error instanceof Error ? error.message.slice(0, 500) : 'it cannot be read'}`,
    );
  }
}

/** Lets an ability build its plan. @throws {Refused} when what the other side said does not have its form */
export function plan<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    return refuse(`The other side's facts do not fit: ${error instanceof Error ? error.name : 'they cannot be read'}.`);
  }
}

function refuse(detail: string): never {
  throw new Refused(ended('spec-invalid', detail));
}
