import {
  type Ability,
  groupOfFar,
  groupsOf,
  type PhaseGroup,
  type PreparedAbility,
  type ProbeHost,
} from '@plumbline/measure';
import { type Ending, ended, parseReason, versionToInstall } from '@plumbline/model';
import {
  type CallContext,
  checkGrant,
  type ExecuteRequest,
  type ExecuteResponse,
  type ProbeServiceImplementation,
  publicKeyOf,
  type RespondRequest,
  type RespondResponse,
  refusalStatus,
  SPEC_MAX_BYTES,
  type Spec,
  signGrant,
  specKind,
  unknownAttempt,
} from '@plumbline/probe-rpc';
import { CANNED_FACTS } from './canned/outputs.js';
import { factsOf, finishedAtOnce, longestMs, Refused, refuse, rethrow, toClaim } from './fake-answers.js';
import { RunningFake } from './fake-attempt.js';
import { FakeClaims } from './fake-claims.js';
import type { FakeAttempt, FakeEndpoint, FakeProbeOptions } from './fake-types.js';

export interface FakeServiceOptions extends FakeProbeOptions {
  readonly host: ProbeHost;
  readonly key: string;
  readonly bootId: string;
  readonly version: string;
  readonly defaultCongestionControl: string;
  readonly abilities: readonly Ability[];
  readonly onDeath: () => void;
}

/** The fake probe's calls, and its memory. */
export class FakeService {
  readonly started: FakeAttempt[] = [];
  readonly calls: string[] = [];
  readonly #attempts = new Map<string, RunningFake>();
  readonly #answers = new Map<string, RespondResponse>();
  /** Ids that must never start, and why. */
  readonly #over = new Map<string, Ending>();
  readonly #claims = new FakeClaims();
  #version: string;
  #silent = false;
  #port = 5300;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: FakeServiceOptions) {
    this.#version = options.version;
  }

  setVersion(version: string): void {
    this.#version = version;
  }
  fallSilent(on: boolean): void {
    this.#silent = on;
  }
  die(): void {
    for (const attempt of this.#attempts.values()) attempt.log.abandon();
  }
  comeBack(): void {
    this.#answers.clear();
    for (const attempt of this.#attempts.values()) if (attempt.running) attempt.lose();
  }

  readonly implementation: ProbeServiceImplementation = {
    inventory: async (request, context) => this.#inventory(request.controlPlaneVersion, context),
    snapshot: async (request, context) => {
      this.calls.push('snapshot');
      this.#endpointOrThrow(request.endpoint, context);
      const { facts = CANNED_FACTS } = this.options;
      return { takenAt: new Date(), facts: [...(typeof facts === 'function' ? facts() : facts)] };
    },
    respond: (request, context) => {
      this.calls.push('respond');
      return this.#inTurn(() => this.#respond(request).catch((error) => rethrow(error, context)));
    },
    execute: (request, context) => this.#execute(request, context),
    stop: async ({ attemptId, reason }) => {
      this.calls.push('stop');
      const ending = ended(parseReason(reason));
      this.#over.set(attemptId, ending);
      const running = this.#sidesOf(attemptId).filter((attempt) => attempt.running);
      await Promise.all(running.map((attempt) => attempt.end(ending)));
      return { wasRunning: running.length > 0 };
    },
    acknowledge: async ({ attemptId }) => {
      this.calls.push('acknowledge');
      for (const side of ['near', 'far'])
        if (this.#attempts.get(`${attemptId} ${side}`)?.running === false)
          this.#attempts.delete(`${attemptId} ${side}`);
      if (attemptId !== '') this.#over.set(attemptId, ended('fence-stale', 'It has ended and was acknowledged.'));
      return {};
    },
    listAttempts: async () => {
      this.calls.push('listAttempts');
      return {
        attempts: [...this.#attempts.values()].map((attempt) => ({
          attemptId: attempt.facts.id,
          legId: attempt.facts.legId,
          fence: attempt.facts.fence,
          running: attempt.running,
          farSide: attempt.facts.end === 'far',
          endpoint: attempt.facts.endpoint,
          startedAt: attempt.startedAt,
        })),
      };
    },
  };

  #inventory(controlPlane: string, context: CallContext) {
    this.calls.push('inventory');
    const install = versionToInstall(controlPlane, this.#version);
    if (install !== undefined) throw refusalStatus(ended('probe-version-incompatible', `Install ${install}.`), context);
    const { name, site, endpoints, host, abilities, key, identity, bootId, defaultCongestionControl } = this.options;
    return {
      name,
      site,
      version: this.#version,
      endpoints: [...endpoints],
      tools: Object.entries(host.tools).map(([tool, text]) => ({
        tool,
        text: text ?? '',
        present: text !== undefined,
      })),
      specKinds: abilities.map(specKind),
      now: new Date(),
      publicKey: publicKeyOf(key),
      certificate: identity?.certificate ?? '',
      congestionControls: [...host.congestionControls],
      root: host.root === true,
      defaultCongestionControl,
      bootId,
    };
  }

  async #respond(request: RespondRequest): Promise<RespondResponse> {
    const claim = request.claim ?? refuse(ended('spec-invalid', 'There is no claim.'));
    const over = this.#over.get(claim.attemptId);
    if (over) refuse(over);
    const answered = this.#answers.get(claim.attemptId);
    if (answered) return answered;
    if (this.#attempts.has(`${claim.attemptId} far`)) refuse(ended('probe-stopped'));
    const endpoint = this.#endpoint(request.endpoint);
    const { ability, prepared, spec } = this.#prepare(request.spec, claim.shared);
    if (request.peerAddress.includes(':') !== endpoint.address.includes(':')) refuse(ended('address-family-mismatch'));
    const hindrance = prepared.refuses('far', this.options.host);
    if (hindrance) refuse(hindrance);
    if (request.standing && !ability.standingGrant) refuse(ended('parameter-unsupported', 'No standing grant for it.'));
    const credentials = { publicKeyPem: 'public', privateKeyPem: 'private', user: 'user', password: 'password' };
    const { address } = endpoint;
    const port = this.#nextPort();
    const morePorts = Array.from({ length: prepared.morePorts }, () => this.#nextPort());
    const nearFacts: unknown = JSON.parse(request.peerJson || '{}');
    const far = prepared.far(this.options.host, {
      address,
      port,
      morePorts,
      peerAddress: request.peerAddress,
      nearFacts,
      credentials,
    });
    const { name } = this.options;
    const facts: FakeAttempt = {
      ...factsOf(claim, endpoint, this.#kind(ability), spec),
      end: 'far',
      n: this.started.length,
    };
    if (!request.standing) await this.#admit(facts, claim, endpoint);
    if (far) {
      if (await this.#isDeaf(facts)) refuse(ended('server-not-ready'));
      const attempt = await this.#start(facts, claim, endpoint, [groupOfFar(far)], prepared);
      if (!(await attempt.begun)) refuse(ended('server-not-ready'));
    }
    const scope = request.standing
      ? { attemptId: null, legId: null }
      : { attemptId: claim.attemptId, legId: claim.legId || null };
    const lifeMs = request.standing ? 86_400_000 : longestMs(claim.longestDurationMs, prepared) + 600_000;
    const notAfter = new Date(Date.now() + lifeMs).toISOString();
    const payload = {
      ...scope,
      probe: name,
      endpoint: endpoint.name,
      address,
      port: far?.servers[0].listensOn.port ?? null,
      specKind: this.#kind(ability),
      ...prepared.ceilings,
      notAfter,
    };
    const grant = signGrant(payload, this.options.key, this.options.identity?.certificate);
    const response = { grant, peerJson: JSON.stringify(far?.peer ?? null) };
    if (!request.standing) this.#answers.set(claim.attemptId, response);
    return response;
  }

  async #isDeaf(facts: FakeAttempt): Promise<boolean> {
    const { spec } = facts;
    return (
      facts.kind.startsWith('scripted') &&
      typeof spec === 'object' &&
      spec !== null &&
      'deaf' in spec &&
      spec.deaf === true
    );
  }

  async *#execute(request: ExecuteRequest, context: CallContext): AsyncGenerator<ExecuteResponse, void> {
    this.calls.push('execute');
    const attempt = await this.#inTurn(() => this.#findOrStart(request)).catch((error) => error);
    if (attempt instanceof Refused) yield finishedAtOnce(attempt.refusal);
    else if (attempt instanceof RunningFake)
      yield* attempt.log.read(request.afterSequence, context.signal, () => this.#silent);
    else throw attempt;
  }

  async #findOrStart(request: ExecuteRequest): Promise<RunningFake> {
    const claim = request.claim ?? refuse(ended('spec-invalid', 'There is no claim.'));
    const id = claim.attemptId;
    const found =
      this.#attempts.get(`${id} near`) ?? (request.attachOnly ? this.#attempts.get(`${id} far`) : undefined);
    if (found) return found;
    if (request.attachOnly) throw unknownAttempt(id);
    const over = this.#over.get(id);
    if (over) refuse(over);
    const endpoint = this.#endpoint(request.endpoint);
    const { ability, prepared, spec } = this.#prepare(request.spec, claim.shared);
    const facts: FakeAttempt = {
      ...factsOf(claim, endpoint, this.#kind(ability), spec),
      end: 'near',
      n: this.started.length,
    };
    const stale = this.#claims.refuses(toClaim(facts, endpoint), this.#running());
    if (stale) refuse(stale);
    const checked = checkGrant(request.grant, {
      attemptId: id,
      specKind: this.#kind(ability),
      standing: ability.standingGrant,
      ceilings: prepared.ceilings,
      now: new Date(),
      ca: this.options.identity?.ca,
    });
    if ('problem' in checked) refuse(checked.problem);
    const peerAddress = checked.payload.address;
    if (peerAddress.includes(':') !== endpoint.address.includes(':')) refuse(ended('address-family-mismatch'));
    const hindrance = prepared.refuses('near', this.options.host);
    if (hindrance) refuse(hindrance);
    await this.#admit(facts, claim, endpoint);
    const peer: unknown = JSON.parse(request.peerJson || 'null');
    const phases = prepared.near(this.options.host, {
      address: endpoint.address,
      interface: endpoint.interface,
      peerAddress,
      localPort: this.#nextPort(),
      peer,
    });
    return this.#start(facts, claim, endpoint, groupsOf(phases), prepared);
  }

  /** Refuses a stale fence; otherwise raises the mark and ends what is older. */
  async #admit(facts: FakeAttempt, _claim: unknown, endpoint: FakeEndpoint): Promise<void> {
    const claim = toClaim(facts, endpoint);
    const running = this.#running();
    const stale = this.#claims.refuses(claim, running);
    if (stale) refuse(stale);
    this.#claims.raise(claim);
    const older = new Set(this.#claims.olderThan(claim, running).map((c) => c.id));
    const losers = [...this.#attempts.values()].filter((attempt) => older.has(attempt.facts.id) && attempt.running);
    await Promise.all(losers.map((attempt) => attempt.end(ended('superseded'))));
  }

  async #start(
    facts: FakeAttempt,
    claim: NonNullable<ExecuteRequest['claim']>,
    endpoint: FakeEndpoint,
    groups: readonly PhaseGroup[],
    prepared: PreparedAbility,
  ): Promise<RunningFake> {
    const script = (await this.options.script?.(facts)) ?? {};
    if (script.refuses) refuse(script.refuses);
    const attempt = new RunningFake(facts, claim, endpoint.interface ?? '*', script);
    this.#attempts.set(`${facts.id} ${facts.end}`, attempt);
    this.started.push(facts);
    attempt.start(groups, longestMs(claim.longestDurationMs, prepared));
    if (script.diesAfterMs !== undefined) setTimeout(() => this.options.onDeath(), script.diesAfterMs);
    return attempt;
  }

  #prepare(sent: Spec | undefined, shared: boolean): { ability: Ability; prepared: PreparedAbility; spec: unknown } {
    const ability = this.options.abilities.find((a) => specKind(a) === sent?.kind);
    if (!ability || !sent) return refuse(ended('spec-invalid', `This probe cannot run ${sent?.kind}.`));
    if (shared && ability.sharing === 'exclusive') refuse(ended('spec-invalid', 'It needs its interface alone.'));
    if (ability.schemaVersion !== sent.schemaVersion || Buffer.byteLength(sent.specJson) > SPEC_MAX_BYTES)
      refuse(ended('spec-invalid', 'Its version or its size does not fit.'));
    try {
      const spec: unknown = JSON.parse(sent.specJson);
      return { ability, prepared: ability.prepare(spec), spec };
    } catch {
      return refuse(ended('spec-invalid', 'It cannot be read.'));
    }
  }

  #endpoint(name: string): FakeEndpoint {
    return (
      this.options.endpoints.find((e) => e.name === name) ??
      refuse(ended('endpoint-unknown', `There is no endpoint ${name}.`))
    );
  }
  #endpointOrThrow(name: string, context: CallContext): void {
    if (!this.options.endpoints.some((e) => e.name === name)) throw refusalStatus(ended('endpoint-unknown'), context);
  }
  #nextPort(): number {
    this.#port = this.#port >= 5999 ? 5301 : this.#port + 1;
    return this.#port;
  }
  #kind = (ability: Ability): string => specKind(ability);
  #sidesOf = (id: string): RunningFake[] => [...this.#attempts.values()].filter((attempt) => attempt.facts.id === id);
  #running = () => [...this.#attempts.values()].filter((attempt) => attempt.running).map((attempt) => attempt.asClaim);

  /** Starts and refusals one after another. Each ends by itself. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
