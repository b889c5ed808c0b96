import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '@plumbline/measure';
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
    const port = this.ports.take();
    if (port === undefined) throw noFreePort(this.configuration);
    let started: { attempt: RunningAttempt; far: { server: Server; peer: unknown } };
    try {
      const { host } = this.facts;
      const { address } = asked.endpoint;
      const far = plan(() => asked.prepared.far(host, { address, port, peerAddress, nearFacts, credentials }));
      if (!far) throw new Refused(ended('internal-error', `${asked.kind} has no server after all.`));
      started = { far, attempt: await this.turnstile.pass(() => this.#start(asked, far.server)) };
    } catch (error) {
      this.ports.giveBack(port);
      throw error;
    }
    const { attempt, far } = started;
    void attempt.done.then(() => this.ports.giveBack(port));
    await this.#untilListening(attempt, far.server);
    return { grant: this.#grant(asked, far.server.listensOn.port, false), peerJson: JSON.stringify(far.peer) };
  }

  async #start(asked: Asked, server: Server): Promise<RunningAttempt> {
    await this.#takeInterface(asked);
    let hasCome = false;
    const onSample = (): void => {
      hasCome = true;
    };
    const attempt = this.starter.start(asked, 'far', [server], { onEnd: () => {}, onSample });
    void this.#endWithoutClient(attempt, server, () => hasCome);
    return attempt;
  }

  /** Ends with the listener, with the attempt, or after readyMs. Looks at the kernel's table: a connection would be the one client. */
  async #untilListening(attempt: RunningAttempt, { listensOn, tool }: Server): Promise<void> {
    const until = performance.now() + this.configuration.readyMs;
    while (!attempt.log.finished && performance.now() < until) {
      if (attempt.pid !== undefined && isListening(attempt.pid, listensOn.protocol, listensOn.port)) return;
      await delay(LOOK_EVERY_MS);
    }
    const why = attempt.log.finished
      ? 'ended before it listened'
      : `did not listen within ${this.configuration.readyMs} ms`;
    await attempt.end(ended('server-not-ready', `${tool} ${why}.`));
    const { cause } = attempt;
    const stopped = cause && 'reason' in cause && cause.reason !== 'tool-failed' && cause.reason !== 'tool-killed';
    throw new Refused(stopped ? cause : ended('server-not-ready', `${tool} ${why}.`));
  }

  /** Ends when a client has come, with the attempt, or after clientMs; then the server is ended. UDP has no clients to see. */
  async #endWithoutClient(
    attempt: RunningAttempt,
    { listensOn, sockets }: Server,
    hasCome: () => boolean,
  ): Promise<void> {
    if (listensOn.protocol === 'udp') return;
    const until = performance.now() + this.configuration.clientMs;
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
