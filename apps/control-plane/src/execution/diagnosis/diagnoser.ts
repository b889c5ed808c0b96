import { Injectable, Logger } from '@nestjs/common';
import { advise, diagnose, diagnoseFacts, factsOf, type LegEvidence } from '@plumbline/analysis';
import { Advice, Diagnosis, Finding } from '@plumbline/model';
import { z } from 'zod';
import { isConnectionFault } from '../../persistence/connection-fault.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { loadLeg } from '../leg/leg-document.js';
import { LegEvidences } from './leg-evidences.js';

/** What the rules conclude of a leg: findings by the index of their step. */
export const LegConclusion = z.object({
  findings: z.record(z.coerce.number<string>().int(), z.array(Finding)),
  diagnosis: Diagnosis,
});
export type LegConclusion = z.output<typeof LegConclusion>;

/** Diagnoses legs from their records. */
@Injectable()
export class Diagnoser {
  private readonly log = new Logger('Diagnosis');

  constructor(
    private readonly database: PostgresDatabase,
    private readonly evidences: LegEvidences,
  ) {}

  /**
   * From what is stored now.
   * @returns undefined when the leg was deleted, or nothing was attempted
   * @throws what a rule or a broken record throws
   */
  async conclude(legId: string): Promise<LegConclusion | undefined> {
    const evidence = await this.evidenceOf(legId);
    return evidence && LegConclusion.parse(diagnose(evidence));
  }

  /** What to change for the leg's path, from what is stored now. @returns undefined when nothing was attempted */
  async advise(legId: string): Promise<Advice | undefined> {
    const evidence = await this.evidenceOf(legId);
    if (!evidence) return undefined;
    const facts = factsOf(evidence);
    return Advice.parse(advise(facts, diagnoseFacts(facts)));
  }

  private async evidenceOf(legId: string): Promise<LegEvidence | undefined> {
    const leg = await loadLeg(this.database, legId);
    if (!leg?.steps.some(({ attempts }) => attempts.some(({ ending }) => ending))) return undefined;
    return this.evidences.of(leg);
  }

  /**
   * The same for a leg that is about to end: a mistake of ours in a rule takes nothing away from what was measured.
   * @returns undefined after such a mistake, too; it is logged, and the leg can be diagnosed later
   */
  async concludeSafely(legId: string): Promise<LegConclusion | undefined> {
    try {
      return await this.conclude(legId);
    } catch (error) {
      if (isConnectionFault(error)) throw error;
      this.log.error(`leg ${legId} could not be diagnosed`, error);
      return undefined;
    }
  }
}
