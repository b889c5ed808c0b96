import { setTimeout as delay } from 'node:timers/promises';
import { type FarSide, groupOfFar, type Server } from '@plumbline/measure';
import { ended } from '@plumbline/model';
import { type Grant, type RespondRequest, type RespondResponse, signGrant } from '@plumbline/probe-rpc';
import type { Configuration } from '../configuration.js';
import type { HostFacts } from '../host/facts.js';
import { hasClient, isListening, type Ports } from '../host/ports.js';
import type { ProbeIdentity } from '../identity/identity.js';
import type { RunningAttempt } from './attempt.js';
import type { Attempts } from './attempts.js';
import type { Credentials } from './credentials.js';
import { noFreePort } from './execute.js';
import { type Asked, plan, readId, readPeerAddress, readPeerJson, readRequest } from './prepare.js';
import { Refused, type Turnstile } from './refused.js';
import type { Starter } from './starter.js';

const LOOK_EVERY_MS = 5;
const CLIENT_LOOK_EVERY_MS = 250;
const DAY_MS = 86_400_000;
/** Clocks of two sites differ: an attempt's grant outlives its longest duration by this much. */
const CLOCK_MARGIN_MS = 600_000;
/** Answers that can be asked for again. */
const KEPT_ANSWERS = 1000;

/** The far side: consent, and the server that the near side will reach. */
export class Responder {
  readonly #answers = new Map<string, Promise<RespondResponse>>();

  constructor(
    private readonly configuration: Configuration,
    private readonly attempts: Attempts,
    private readonly starter: Starter,
    private readonly turnstile: Turnstile,
    private readonly ports: Ports,
    private readonly facts: HostFacts,
    private readonly identity: () => ProbeIdentity,
    private readonly credentials: Credentials,
  ) {}

  /**
   * Consent to an attempt. Asked again with the same id, it is the same answer.
   * @throws {Refused} when it is refused, or when the server did not begin to listen
   */
  async respond(request: RespondRequest): Promise<RespondResponse> {
    const id = readId(request.claim?.attemptId ?? '');
    if (request.standing) return this.#respond(id, request);
    this.attempts.refuseIfEnded(id);
    const given = this.#answers.get(id);
    if (given) return given;
    const answer = this.#respond(id, request);
    this.#answers.set(id, answer);
    for (const oldest of [...this.#answers.keys()].slice(0, -KEPT_ANSWERS)) this.#answers.delete(oldest);
    // What was refused before anything started may be asked again.
    answer.catch(() => {
      if (!this.attempts.find(id, 'far')) this.#answers.delete(id);
    });
    return answer;
  }

  async #respond(id: string, request: RespondRequest): Promise<RespondResponse> {
    if (this.attempts.find(id, 'far')) throw new Refused(ended('probe-stopped', 'The probe was restarted since.'));
    const asked = readRequest(request, this.configuration);
    const peerAddress = readPeerAddress(request.peerAddress, asked.endpoint);
    if (request.standing && !asked.ability.standingGrant)
      throw new Refused(ended('parameter-unsupported', `There are no standing grants for ${asked.kind}.`));
    const hindrance = asked.prepared.refuses('far', this.facts.host);
    if (hindrance) throw new Refused(hindrance);
    if (request.standing) return { grant: this.#grant(asked, null, true), peerJson: 'null' };
    if (!asked.ability.hasServer) {
      await this.turnstile.pass(() => this.#takeInterface(asked));
      return { grant: this.#grant(asked, null, false), peerJson: 'null' };
    }
    return this.#serve(asked, peerAddress, readPeerJson(request.peerJson));
  }

  async #takeInterface({ id, claimed }: Asked): Promise<void> {
    this.attempts.refuseIfLate(id, claimed);
    await this.attempts.admit(id, claimed);
  }

  async #serve(asked: Asked, peerAddress: string, nearFacts: unknown): Promise<RespondResponse> {
    const credentials = await this.credentials.take();
    const ports = this.#takePorts(1 + asked.prepared.morePorts);
    const giveBack = (): void => {
      for (const port of ports) this.ports.giveBack(port);
    };
    let started: { attempt: RunningAttempt; far: FarSide };
    try {
      const { host } = this.facts;
      const { address } = asked.endpoint;
      const [port = 0, ...morePorts] = ports;
      const input = { address, port, morePorts, peerAddress, nearFacts, credentials };
      const far = plan(() => asked.prepared.far(host, input));
      if (!far) throw new Refused(ended('internal-error', `${asked.kind} has no server after all.`));
      started = { far, attempt: await this.turnstile.pass(() => this.#start(asked, far)) };
    } catch (error) {
      giveBack();
      throw error;
    }
    const { attempt, far } = started;
    void attempt.done.then(giveBack);
    await this.#untilListening(attempt, far);
    return { grant: this.#grant(asked, far.servers[0].listensOn.port, false), peerJson: JSON.stringify(far.peer) };
  }

  /** @throws {Refused} when there are not that many; then none is taken */
  #takePorts(count: number): readonly number[] {
    const ports = Array.from({ length: count }, () => this.ports.take());
    const taken = ports.filter((port) => port !== undefined);
    if (taken.length === count) return taken;
    for (const port of taken) this.ports.giveBack(port);
    throw noFreePort(this.configuration);
  }

  async #start(asked: Asked, far: FarSide): Promise<RunningAttempt> {
    await this.#takeInterface(asked);
    let hasCome = false;
    const onSample = (): void => {
      hasCome = true;
    };
    const attempt = this.starter.start(asked, 'far', [groupOfFar(far)], { onEnd: () => {}, onSample });
    void this.#endWithoutClient(attempt, far, () => hasCome);
    return attempt;
  }

  /**
   * Ends when all listen, with the attempt, or after readyMs and the companions' leads. Looks at the kernel's table: a
   * connection would be the one client.
   */
  async #untilListening(attempt: RunningAttempt, { servers, companions = [] }: FarSide): Promise<void> {
    const leadMs = companions.reduce((sum, { beside }) => sum + beside.leadMs, 0);
    const until = performance.now() + leadMs + this.configuration.readyMs;
    const waiting = [...servers];
    const listens = ({ name, listensOn: { protocol, port } }: Server): boolean => {
      const pid = attempt.pidOf(name);
      return pid !== undefined && isListening(pid, protocol, port);
    };
    while (!attempt.log.finished && performance.now() < until) {
      // Ends with the first that does not listen yet.
      while (waiting[0] && listens(waiting[0])) waiting.shift();
      if (waiting.length === 0) return;
      await delay(LOOK_EVERY_MS);
    }
    const first = attempt.cause;
    const said = first && 'reason' in first && first.detail !== undefined ? `: ${first.detail}` : '.';
    const tool = waiting[0]?.tool;
    const why = attempt.log.finished
      ? 'ended before it listened'
      : `did not listen within ${this.configuration.readyMs} ms`;
    const notReady = ended('server-not-ready', `${tool} ${why}${said}`);
    await attempt.end(notReady);
    const { cause } = attempt;
    const stopped = cause && 'reason' in cause && cause.reason !== 'tool-failed' && cause.reason !== 'tool-killed';
    throw new Refused(stopped ? cause : notReady);
  }

  /**
   * Ends when a client has come to the first server, with the attempt, or after clientMs and the companions' leads; then all is
   * ended. UDP has no clients to see.
   */
  async #endWithoutClient(
    attempt: RunningAttempt,
    { servers: [{ listensOn, sockets }], companions = [] }: FarSide,
    hasCome: () => boolean,
  ): Promise<void> {
    if (listensOn.protocol === 'udp') return;
    const leadMs = companions.reduce((sum, { beside }) => sum + beside.leadMs, 0);
    const until = performance.now() + leadMs + this.configuration.clientMs;
    while (performance.now() < until) {
      await delay(CLIENT_LOOK_EVERY_MS, undefined, { ref: false });
      if (attempt.log.finished || hasCome()) return;
      // Where its sockets are sampled, a sample is the sign, and cheaper.
      if (!sockets && hasClient(listensOn.port)) return;
    }
    await attempt.end(ended('connection-timed-out', `No client came within ${this.configuration.clientMs} ms.`));
  }

  #grant(asked: Asked, port: number | null, standing: boolean): Grant {
    const { key, enrolled } = this.identity();
    const lifeMs = standing ? DAY_MS : asked.longestMs + CLOCK_MARGIN_MS;
    const payload = {
      attemptId: standing ? null : asked.id,
      legId: standing ? null : asked.claim.legId || null,
      probe: this.configuration.name,
      endpoint: asked.endpoint.name,
      address: asked.endpoint.address,
      port,
      specKind: asked.kind,
      ...asked.prepared.ceilings,
      notAfter: new Date(this.configuration.now().getTime() + lifeMs).toISOString(),
    };
    return signGrant(payload, key, enrolled?.certificate);
  }
}
