import { Injectable, Logger } from '@nestjs/common';
import type { PreparedAbility } from '@plumbline/measure';
import { type AttemptReading, type Ending, isTerminal, ProblemError, type Reparse, VERSION } from '@plumbline/model';
import { labelled } from '@plumbline/plans';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { storableJson } from '../../persistence/storable-json.js';
import { readOutput } from '../attempt/attempt-finish.js';
import { finalEnding } from '../attempt/endings.js';
import { Series } from '../attempt/series.js';
import { Catalogue } from '../catalogue.js';
import { Rediagnoser } from '../diagnosis/rediagnoser.js';
import { type AttemptDocument, endingOf, type LegDocument, loadLeg, type StepDocument } from '../leg/leg-document.js';
import { StepResults } from '../leg/step-results.js';
import { differencesOf, type WholeReading } from './difference.js';
import { ReparseRecords } from './reparse-records.js';
import { StoredOutputs } from './stored-output.js';

const MOST_DIFFERENCES = 200;
/** As many as the record of an attempt holds. */
const MOST_NOTES = 200;

/** What was known of an attempt before its output was read. */
const Conducted = z.object({
  ending: z.object({ outcome: z.string(), reason: z.string().optional(), detail: z.string().optional() }),
  notes: z.array(z.string()),
});

/** An attempt and where it stands. */
interface Place {
  readonly leg: LegDocument;
  readonly step: StepDocument;
  readonly attempt: AttemptDocument & { readonly ending: Ending };
}

/** Reads attempts again from their stored bytes, with the parsers of this version. */
@Injectable()
export class Reparser {
  private readonly log = new Logger('Reparse');

  constructor(
    private readonly database: PostgresDatabase,
    private readonly catalogue: Catalogue,
    private readonly outputs: StoredOutputs,
    private readonly results: StepResults,
    private readonly series: Series,
    private readonly records: ReparseRecords,
    private readonly rediagnoser: Rediagnoser,
  ) {}

  /**
   * The attempt's reading made again, and what it tells otherwise than the record. With `store` the record is changed to it,
   * and with it what follows: the step's metrics, criteria, states, verdicts and findings.
   * @throws {ProblemError} not-reparsable, with the reason
   */
  async reparse(attemptId: string, { store }: { readonly store: boolean }): Promise<Reparse> {
    const place = await this.placeOf(attemptId);
    const prepared = this.prepare(place.attempt);
    const row = await this.database.client.attempt.findUniqueOrThrow({
      where: { id: attemptId },
      select: { id: true, commands: true, notes: true, result: true, conducted: true },
    });
    const before: WholeReading = {
      reading: {
        ...place.attempt.ending,
        metrics: (await this.results.of([{ plan: place.attempt.plan, last: place.attempt }]))[0]?.metrics.slice() ?? [],
        notes: z.array(z.string()).parse(row.notes),
      },
      result: row.result,
    };
    const after = await this.readAgain(place, prepared, row, before.reading.notes);
    const differences = differencesOf(before, after);
    if (store) {
      await this.records.store(place, after);
      await this.diagnoseAgain(place.leg.runId);
    }
    return {
      stored: store,
      before: before.reading,
      after: after.reading,
      differences: differences.slice(0, MOST_DIFFERENCES),
      moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
    };
  }

  /** What limits the flow was concluded from the old numbers. The new reading stands, whether or not the rules can judge it. */
  private async diagnoseAgain(runId: string): Promise<void> {
    try {
      await this.rediagnoser.rediagnose(runId, { store: true });
    } catch (error) {
      this.log.error(`run ${runId} could not be diagnosed; its findings are older than its metrics`, error);
    }
  }

  private async placeOf(attemptId: string): Promise<Place> {
    const found = await this.database.client.attempt.findUnique({
      where: { id: attemptId },
      select: { step: { select: { legId: true, leg: { select: { run: { select: { state: true } } } } } } },
    });
    const leg = found && (await loadLeg(this.database, found.step.legId));
    const step = leg?.steps.find(({ attempts }) => attempts.some(({ id }) => id === attemptId));
    const attempt = step?.attempts.find(({ id }) => id === attemptId);
    if (!found || !leg || !step || !attempt) throw notReparsable('it was deleted meanwhile');
    if (!isTerminal(found.step.leg.run.state) || !attempt.ending) throw notReparsable('its run has not ended yet');
    return { leg, step, attempt: { ...attempt, ending: attempt.ending } };
  }

  private prepare({ plan }: AttemptDocument): PreparedAbility {
    const ability = this.catalogue.abilityOf(plan.measurement, plan.tool);
    if (!ability) throw notReparsable(`Plumbline ${VERSION} does not measure ${plan.measurement} with ${plan.tool}`);
    try {
      if (ability.schemaVersion === plan.schemaVersion) return ability.prepare(plan.spec);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
    }
    throw notReparsable(`Plumbline ${VERSION} cannot read what this attempt was asked to measure`);
  }

  private async readAgain(
    { attempt }: Place,
    prepared: PreparedAbility,
    row: { readonly id: string; readonly commands: unknown; readonly conducted: unknown; readonly result: unknown },
    recorded: readonly string[],
  ): Promise<WholeReading> {
    const conducted = Conducted.safeParse(row.conducted).data;
    const { outcome, reason = null, detail = null } = conducted?.ending ?? { outcome: null };
    const from = endingOf({ outcome, reason, detail }) ?? attempt.ending;
    const stored = await this.outputs.of(row, from);
    if (!stored) throw notReparsable('none of its programs left any output');
    const printed = readOutput(prepared, attempt.plan.tool, stored.output);
    const read = await this.series.besideRecorded(row.id, prepared, printed, row.result);
    const known = conducted?.notes ?? recorded;
    const notes = new Set([...known, ...stored.notes, ...read.notes]);
    const reading: AttemptReading = {
      ...finalEnding(from, read.ending),
      metrics: labelled(read.metrics, attempt.plan.cell),
      notes: [...notes].slice(0, MOST_NOTES),
    };
    return { reading, result: storableJson(read.result ?? null) };
  }
}

const notReparsable = (why: string): ProblemError =>
  new ProblemError('not-reparsable', `The attempt cannot be read again: ${why}.`);
