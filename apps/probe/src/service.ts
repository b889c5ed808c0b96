import { ended, IpAddress, parseReason, versionToInstall } from '@plumbline/model';
import {
  type CallContext,
  type ExecuteRequest,
  type ExecuteResponse,
  type InventoryResponse,
  ourMistake,
  type ProbeServiceImplementation,
  refusalStatus,
  specKind,
} from '@plumbline/probe-rpc';
import { currentBootId } from '@plumbline/process';
import type { Logger } from 'pino';
import type { Configuration } from './configuration.js';
import { finishedEvent } from './execution/attempt.js';
import type { Attempts } from './execution/attempts.js';
import type { Executor } from './execution/execute.js';
import { readId } from './execution/prepare.js';
import { Refused } from './execution/refused.js';
import type { Responder } from './execution/respond.js';
import { congestionControls, type HostFacts } from './host/facts.js';
import { takeSnapshot } from './host/snapshot.js';
import type { ProbeIdentity } from './identity/identity.js';

export interface ServiceParts {
  readonly configuration: Configuration;
  readonly attempts: Attempts;
  readonly executor: Executor;
  readonly responder: Responder;
  readonly facts: HostFacts;
  readonly identity: () => ProbeIdentity;
  /** A folder for what lives only for a call. */
  readonly temporary: string;
  readonly logger: Logger;
}

/** The probe's calls. Refusals become a status with their reason here, and in Execute the one event of a stream. */
export function makeService(parts: ServiceParts): ProbeServiceImplementation {
  const { configuration, attempts, responder, facts, logger } = parts;
  return {
    inventory: (request, context) => guarded(logger, context, () => inventory(parts, request.controlPlaneVersion)),
    snapshot: (request, context) =>
      guarded(logger, context, async () => {
        const endpoint = configuration.endpoints.find(({ name }) => name === request.endpoint);
        if (!endpoint) throw new Refused(ended('endpoint-unknown', `There is no endpoint ${request.endpoint} here.`));
        const peer = IpAddress.safeParse(request.peerAddress).data;
        const takenAt = configuration.now();
        return { takenAt, facts: await takeSnapshot(endpoint, peer, facts.tools, parts.temporary, request.filesOnly) };
      }),
    respond: (request, context) => guarded(logger, context, () => responder.respond(request)),
    execute: (request, context) => execute(parts, request, context),
    stop: ({ attemptId, reason }, context) =>
      guarded(logger, context, async () => {
        const wasRunning = await attempts.stop(readId(attemptId), parseReason(reason));
        logger.info({ attempt: attemptId, reason, wasRunning }, 'stop');
        return { wasRunning };
      }),
    acknowledge: ({ attemptId }, context) =>
      guarded(logger, context, async () => {
        if (!attempts.acknowledge(readId(attemptId))) throw new Refused(ended('probe-busy', 'The attempt still runs.'));
        return {};
      }),
    listAttempts: (_request, context) => guarded(logger, context, async () => ({ attempts: listAttempts(attempts) })),
  };
}

async function inventory(parts: ServiceParts, controlPlane: string): Promise<InventoryResponse> {
  const { configuration, facts, identity } = parts;
  const { name, site, version, endpoints, abilities } = configuration;
  const install = versionToInstall(controlPlane, version);
  if (install !== undefined)
    throw new Refused(
      ended(
        'probe-version-incompatible',
        `The probe ${name} is version ${version}. Install version ${install || controlPlane || 'of the control plane'} on its host.`,
      ),
    );
  await facts.refresh();
  const { publicKey, enrolled } = identity();
  const { usable, byDefault } = congestionControls();
  return {
    name,
    site,
    version,
    endpoints: endpoints.map((e) => ({ name: e.name, address: e.address, interface: e.interface ?? '' })),
    tools: [...facts.tools],
    specKinds: abilities.map(specKind),
    now: configuration.now(),
    publicKey,
    certificate: enrolled?.certificate ?? '',
    congestionControls: usable,
    defaultCongestionControl: byDefault,
    bootId: currentBootId(),
    root: facts.host.root === true,
  };
}

/** Ends with Finished or when the caller goes. Refused attempts have one event, and nothing is kept of them. */
async function* execute(
  { executor, logger }: ServiceParts,
  request: ExecuteRequest,
  context: CallContext,
): AsyncGenerator<ExecuteResponse, void> {
  const found = await executor.findOrStart(request).catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw told(logger, error);
  });
  if (found instanceof Refused) {
    const now = new Date();
    logger.warn({ attempt: request.claim?.attemptId, ...found.ending }, 'attempt refused');
    yield { sequence: 1n, at: now, event: finishedEvent(found.ending, now) };
    return;
  }
  try {
    yield* found.log.follow(request.afterSequence, context.signal);
  } catch (error) {
    throw told(logger, error);
  }
}

const listAttempts = (attempts: Attempts) =>
  attempts.list().map(({ facts, log }) => ({
    attemptId: facts.id,
    legId: facts.legId,
    fence: facts.fence,
    running: !log.finished,
    farSide: facts.side === 'far',
    endpoint: facts.endpoint,
    startedAt: facts.startedAt,
  }));

async function guarded<T>(logger: Logger, context: CallContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused && error.ending.outcome !== 'completed') {
      logger.warn({ ...error.ending }, 'call refused');
      throw refusalStatus(error.ending, context);
    }
    throw told(logger, error);
  }
}

/** What is no refusal is our own mistake, unless it is a status already or the caller went. */
function told(logger: Logger, error: unknown): unknown {
  if (error instanceof Error && (error.name === 'ServerError' || error.name === 'AbortError')) return error;
  logger.error({ err: error }, 'a call failed');
  return ourMistake();
}
