import { groupsOf } from '@plumbline/measure';
import { ended } from '@plumbline/model';
import { checkGrant, type ExecuteRequest, unknownAttempt } from '@plumbline/probe-rpc';
import { z } from 'zod';
import type { Configuration } from '../configuration.js';
import type { HostFacts } from '../host/facts.js';
import type { Ports } from '../host/ports.js';
import type { ProbeIdentity } from '../identity/identity.js';
import type { Spooled } from '../spool/spool.js';
import type { Attempts } from './attempts.js';
import { type Asked, plan, readId, readPeerAddress, readPeerJson, readRequest } from './prepare.js';
import { Refused, type Turnstile } from './refused.js';
import type { Starter } from './starter.js';

const PeerPort = z.object({ port: z.number() });

/** The near side: from a request to an attempt, new or known. */
export class Executor {
  constructor(
    private readonly configuration: Configuration,
    private readonly attempts: Attempts,
    private readonly starter: Starter,
    private readonly turnstile: Turnstile,
    private readonly ports: Ports,
    private readonly facts: HostFacts,
    private readonly identity: () => ProbeIdentity,
  ) {}

  /**
   * The attempt of that id: the one that is known, however often it is asked for, else a new one.
   * @throws {Refused} when it must not start
   * @throws {ServerError} NOT_FOUND when it was only to be attached to and is not known
   */
  async findOrStart(request: ExecuteRequest): Promise<Spooled> {
    const id = readId(request.claim?.attemptId ?? '');
    const near = this.attempts.find(id, 'near');
    const far = this.attempts.find(id, 'far');
    // A path between two endpoints of this probe: both sides are here, and the endpoint says which is meant.
    if (request.attachOnly && far && far.facts.endpoint === request.endpoint) return far;
    if (near) return near;
    if (!request.attachOnly) return this.turnstile.pass(() => this.#start(id, request));
    if (far) return far;
    throw unknownAttempt(id);
  }

  async #start(id: string, request: ExecuteRequest): Promise<Spooled> {
    // Another call with the same id may have passed the turnstile before.
    const known = this.attempts.find(id, 'near');
    if (known) return known;
    const asked = readRequest(request, this.configuration);
    this.attempts.refuseIfLate(id, asked.claimed);
    const peer = readPeerJson(request.peerJson);
    const peerAddress = this.#consentedAddress(asked, request, peer);
    const { host } = this.facts;
    const hindrance = asked.prepared.refuses('near', host);
    if (hindrance) throw new Refused(hindrance);
    const { localPorts } = asked.prepared;
    const localPort = this.#takePorts(localPorts);
    try {
      const { address, interface: device } = asked.endpoint;
      const phases = plan(() =>
        asked.prepared.near(host, { address, interface: device, peerAddress, localPort, peer }),
      );
      await this.attempts.admit(id, asked.claimed);
      return this.starter.start(asked, 'near', groupsOf(phases), {
        onEnd: () => this.ports.giveBack(localPort, localPorts),
      });
    } catch (error) {
      this.ports.giveBack(localPort, localPorts);
      throw error;
    }
  }

  /** Where the far probe consented to be sent to. */
  #consentedAddress({ id, kind, ability, prepared, endpoint }: Asked, request: ExecuteRequest, peer: unknown): string {
    const checked = checkGrant(request.grant, {
      attemptId: id,
      specKind: kind,
      standing: ability.standingGrant,
      ceilings: prepared.ceilings,
      port: PeerPort.safeParse(peer).data?.port,
      now: this.configuration.now(),
      ca: this.identity().enrolled?.ca,
    });
    if ('problem' in checked) throw new Refused(checked.problem);
    return readPeerAddress(checked.payload.address, endpoint);
  }

  /** The first of that many in a row. */
  #takePorts(count: number): number {
    const port = this.ports.take(count);
    if (port !== undefined) return port;
    throw noFreePort(this.configuration, count);
  }
}

export const noFreePort = ({ ports: { low, high } }: Configuration, count = 1): Refused => {
  const wanted = count === 1 ? 'No port' : `No ${count} ports in a row`;
  return new Refused(
    ended('port-in-use', `${wanted} from ${low} to ${high} ${count === 1 ? 'is' : 'are'} free on the probe.`),
  );
};
