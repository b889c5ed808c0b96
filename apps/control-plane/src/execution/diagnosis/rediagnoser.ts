import { Injectable } from '@nestjs/common';
import { RULE_SET } from '@plumbline/analysis';
import { Diagnosis, Finding, isTerminal, type LegRediagnosis, ProblemError, type Rediagnosis } from '@plumbline/model';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { recordConclusion } from '../leg/leg-records.js';
import { Diagnoser, type LegConclusion } from './diagnoser.js';
import { findingChanges } from './finding-changes.js';

/** Diagnoses ended runs again, from their stored facts, by the rules of this version. */
@Injectable()
export class Rediagnoser {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly diagnoser: Diagnoser,
  ) {}

  /**
   * With `store` the record becomes what today's rules say, with their version.
   * @throws {ProblemError} not-found; conflict when the run has not ended
   */
  async rediagnose(runId: string, { store }: { readonly store: boolean }): Promise<Rediagnosis> {
    const run = await this.database.client.run.findUnique({
      where: { id: runId },
      select: {
        state: true,
        legs: {
          orderBy: { index: 'asc' },
          select: {
            ...{ id: true, index: true, pathName: true, diagnosis: true },
            steps: { orderBy: { index: 'asc' }, select: { findings: true } },
          },
        },
      },
    });
    if (!run) throw new ProblemError('not-found', `There is no run ${runId}.`);
    if (!isTerminal(run.state))
      throw new ProblemError(
        'conflict',
        'The run has not ended: it is diagnosed at its end. Wait for it, or cancel it.',
      );
    const legs: LegRediagnosis[] = [];
    for (const leg of run.legs) legs.push(await this.leg(runId, leg, store));
    return { stored: store, ruleSet: RULE_SET, legs };
  }

  /** Under the lock that a new reading takes as well: nothing it is concluded from changes before it is stored. */
  private concludeAndStore(runId: string, legId: string): Promise<LegConclusion | undefined> {
    return this.database.transaction('store a diagnosis', async (client) => {
      await client.$queryRaw`SELECT id FROM run WHERE id = ${runId}::uuid FOR NO KEY UPDATE`;
      const concluded = await this.diagnoser.conclude(legId);
      if (concluded) await recordConclusion(client, legId, concluded);
      return concluded;
    });
  }

  private async leg(
    runId: string,
    leg: {
      readonly id: string;
      readonly index: number;
      readonly pathName: string;
      readonly diagnosis: unknown;
      readonly steps: readonly { readonly findings: unknown }[];
    },
    store: boolean,
  ): Promise<LegRediagnosis> {
    const concluded = store ? await this.concludeAndStore(runId, leg.id) : await this.diagnoser.conclude(leg.id);
    // What an older version wrote in another form counts as not there.
    const stored = leg.steps.map(({ findings }) => z.array(Finding).safeParse(findings).data ?? []);
    const before = Diagnosis.safeParse(leg.diagnosis).data;
    const findings = leg.steps.map((_, index) => concluded?.findings[index] ?? []);
    return {
      leg: leg.index,
      path: leg.pathName,
      ...(before ? { before } : {}),
      ...(concluded ? { after: concluded.diagnosis } : {}),
      findings,
      changes: findingChanges(stored, findings),
    };
  }
}
