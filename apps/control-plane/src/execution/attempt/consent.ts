import { Injectable } from '@nestjs/common';
import type { Ending } from '@plumbline/model';
import { type Grant, GrantPayload, ProbeCallError, specKind } from '@plumbline/probe-rpc';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { Inventories } from '../probes/inventories.js';
import { ProbeConnections } from '../probes/probe-connections.js';
import type { ProbeFacts } from '../probes/probe-facts.js';
import { reaching } from '../probes/reaching.js';
import { TIMING } from '../timing.js';
import { type AttemptTask, claimOf, specOf } from './attempt-task.js';
import { callEnding } from './preflight.js';

/** The far probe's consent, and what the near side must know to reach its server. Secret: in memory only, never logged or stored. */
export interface Consent {
  readonly grant: Grant;
  readonly peerJson: string;
}

/** `standing_grant.document`: a standing grant names nobody's credentials, so it may be kept. */
const StoredGrant = z.object({
  payloadJson: z.string(),
  signature: z.string(),
  publicKey: z.string(),
  certificate: z.string(),
});

/** Asks far probes for consent. Light measurements may live on one of the last day when the far probe is away. */
@Injectable()
export class Consents {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly connections: ProbeConnections,
    private readonly inventories: Inventories,
  ) {}

  /** @returns the consent, or the ending with which the attempt fails before any traffic */
  async ask(task: AttemptTask, near: ProbeFacts, signal: AbortSignal): Promise<Consent | Ending> {
    const standing = task.ability.standingGrant;
    try {
      const response = await reaching((deadlineMs) => this.respond(task, near, standing, deadlineMs, signal), {
        signal,
        callMs: TIMING.respondMs,
      });
      if (!response.grant) throw new ProbeCallError('internal', 'grant-missing', 'It answered without a grant.');
      if (standing) void this.keep(task, response.grant).catch(() => undefined);
      return { grant: response.grant, peerJson: response.peerJson };
    } catch (error) {
      const ending = callEnding(task, 'far', error);
      this.inventories.doubt(task.far.name);
      const kept = standing && ending.outcome === 'failed' ? await this.kept(task) : undefined;
      return kept ? { grant: kept, peerJson: '' } : ending;
    }
  }

  private async respond(
    task: AttemptTask,
    near: ProbeFacts,
    standing: boolean,
    deadlineMs: number,
    signal: AbortSignal,
  ) {
    const connection = await this.connections.to(task.far);
    return connection.respond(
      {
        claim: claimOf(task),
        spec: specOf(task),
        endpoint: task.path.destination.endpoint,
        peerAddress: task.path.source.address,
        peerJson: JSON.stringify(task.prepared.nearFacts(near.host) ?? {}),
        standing,
      },
      { deadlineMs, signal },
    );
  }

  private async keep(task: AttemptTask, grant: Grant): Promise<void> {
    const payload = GrantPayload.parse(JSON.parse(grant.payloadJson));
    if (payload.attemptId !== null) return;
    const document = {
      payloadJson: grant.payloadJson,
      signature: Buffer.from(grant.signature).toString('base64'),
      publicKey: Buffer.from(grant.publicKey).toString('base64'),
      certificate: grant.certificate,
    };
    const notAfter = new Date(payload.notAfter);
    const key = grantKey(task);
    await this.database.client.standingGrant.upsert({
      where: { probeName_endpoint_peerAddress_specKind: key },
      create: { ...key, document, notAfter },
      update: { document, notAfter },
    });
  }

  private async kept(task: AttemptTask): Promise<Grant | undefined> {
    const longEnough = new Date(Date.now() + task.prepared.longestDurationMs);
    const row = await this.database.client.standingGrant.findFirst({
      where: { ...grantKey(task), notAfter: { gt: longEnough } },
    });
    const stored = StoredGrant.safeParse(row?.document);
    if (!stored.success) return undefined;
    const { payloadJson, signature, publicKey, certificate } = stored.data;
    return {
      payloadJson,
      signature: Buffer.from(signature, 'base64'),
      publicKey: Buffer.from(publicKey, 'base64'),
      certificate,
    };
  }
}

const grantKey = (task: AttemptTask) => ({
  probeName: task.far.name,
  endpoint: task.path.destination.endpoint,
  peerAddress: task.path.source.address,
  specKind: specKind(task.ability),
});
