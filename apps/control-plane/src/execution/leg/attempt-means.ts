import { Injectable } from '@nestjs/common';
import type { Ability, PreparedAbility } from '@plumbline/measure';
import { type End, type Ending, REASONS } from '@plumbline/model';
import type { AttemptPlan } from '@plumbline/plans';
import { ProbeCallError } from '@plumbline/probe-rpc';
import { z } from 'zod';
import type { LegPath } from '../../persistence/leg-path.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { pathFrom } from '../attempt/attempt-task.js';
import { reasonOf } from '../attempt/endings.js';
import { hindrance } from '../attempt/preflight.js';
import { Catalogue } from '../catalogue.js';
import { Inventories } from '../probes/inventories.js';
import type { ProbeFacts, ProbeTarget } from '../probes/probe-facts.js';
import { type Lease, LeaseLost } from './lease.js';
import type { LegDocument } from './leg-document.js';

/** A planned attempt that its two ends refuse. */
export interface RefusedPlan {
  readonly planIndex: number;
  readonly plan: AttemptPlan;
  readonly ending: Ending;
}

/** With what an attempt is carried out: its ability, and the probes at its two ends. */
@Injectable()
export class AttemptMeans {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly catalogue: Catalogue,
    private readonly inventories: Inventories,
  ) {}

  /** @returns undefined when this version cannot carry it out */
  prepare(plan: AttemptPlan): { ability: Ability; prepared: PreparedAbility } | undefined {
    const ability = this.catalogue.abilityOf(plan.measurement, plan.tool);
    if (!ability || ability.schemaVersion !== plan.schemaVersion) return undefined;
    try {
      return { ability, prepared: ability.prepare(plan.spec) };
    } catch (error) {
      if (error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  /** Where both probes are now: an address may have changed since the run was asked for. */
  async probesOf(path: LegPath): Promise<{ near: ProbeTarget; far: ProbeTarget } | undefined> {
    const names = [path.source.probe, path.destination.probe];
    const rows = await this.database.retrying('find the probes', (client) =>
      client.probe.findMany({ where: { name: { in: names } }, select: { name: true, address: true, enrolled: true } }),
    );
    const [near, far] = names.map((name) => rows.find((row) => row.name === name));
    return near && far ? { near, far } : undefined;
  }

  /**
   * Those of the planned attempts that both ends' Inventories refuse for good, in order: what may be otherwise a moment later
   * is not among them.
   * @returns undefined when an end did not say
   * @throws {LeaseLost}
   */
  async refusals(
    plans: readonly AttemptPlan[],
    { id, path }: Pick<LegDocument, 'id' | 'path'>,
    lease: Lease,
  ): Promise<RefusedPlan[] | undefined> {
    const facts = await this.factsOf(path, AbortSignal.any([lease.over, lease.cancelled]));
    if (lease.over.aborted) throw new LeaseLost(id);
    if (!facts) return undefined;
    return plans.flatMap((plan, planIndex) => {
      const how = this.prepare(plan);
      const { near, far } = facts;
      const seen = plan.startsAt === 'far' ? { near: far, far: near } : facts;
      const ending = how && hindrance({ path: pathFrom(path, plan.startsAt), prepared: how.prepared }, seen);
      const reason = ending && reasonOf(ending);
      return ending && reason && !REASONS[reason].retry ? [{ planIndex, plan, ending }] : [];
    });
  }

  /** What both probes of a path say of themselves; undefined when one is gone, or does not answer as it should. */
  private async factsOf(path: LegPath, signal: AbortSignal): Promise<Record<End, ProbeFacts> | undefined> {
    const probes = await this.probesOf(path);
    if (!probes) return undefined;
    try {
      const asked = [probes.near, probes.far].map((probe) => this.inventories.of(probe, signal));
      const [near, far] = await Promise.all(asked);
      return near && far && { near, far };
    } catch (error) {
      if (error instanceof ProbeCallError || signal.aborted) return undefined;
      throw error;
    }
  }
}
