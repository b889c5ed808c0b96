import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Ending, ended } from '@plumbline/model';
import type { AttemptPlan, AttemptResult, Kind } from '@plumbline/plans';
import { PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import { AttemptRecords } from '../attempt/attempt-records.js';
import { AttemptRunner } from '../attempt/attempt-runner.js';
import { type AttemptTask, pathFrom } from '../attempt/attempt-task.js';
import { endsStep, retryDelayMs, stepEnding } from '../attempt/endings.js';
import { seriesOf } from '../attempt/series.js';
import { Catalogue, type EndedStep } from '../catalogue.js';
import { Drain } from '../drain.js';
import { AttemptMeans } from './attempt-means.js';
import { type Lease, LeaseLost } from './lease.js';
import type { AttemptDocument, LegDocument, StepDocument } from './leg-document.js';
import { recordStepEnd } from './leg-records.js';
import { StepCourse } from './step-course.js';
import { StepResults } from './step-results.js';

export interface WalkedStep extends EndedStep {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly unconfirmed: readonly string[];
}
/** An attempt that has ended, as its successors see it. */
interface Try {
  readonly id: string;
  readonly n: number;
  readonly ending: Ending;
}
/** An attempt that has its row already. */
type Known = Try | AttemptDocument;
interface Walked {
  readonly finals: { readonly plan: AttemptPlan; readonly last: Try; readonly over: boolean }[];
  readonly results: AttemptResult[];
  readonly unconfirmed: string[];
  /** Why it ended there: the kind has nothing more to do, somebody cancelled, or the others would be pointless. */
  readonly because: 'complete' | 'cancelled' | 'pointless';
}
/** Optional attempts only count where they ended the step. */
const countsForStep = ({ plan, over }: Walked['finals'][number]): boolean => plan.optional !== true || over;
type Place = { readonly leg: LegDocument; readonly step: StepDocument; readonly lease: Lease };

/** Walks one step: its attempts in order, each with its retries, from wherever Postgres says it stands. */
@Injectable()
export class StepWalker {
  constructor(
    private readonly events: PostgresRunEvents,
    private readonly catalogue: Catalogue,
    private readonly records: AttemptRecords,
    private readonly runner: AttemptRunner,
    private readonly results: StepResults,
    private readonly means: AttemptMeans,
    private readonly drain: Drain,
  ) {}

  /** @throws {LeaseLost} */
  async walk(place: Place): Promise<WalkedStep> {
    const { leg, step, lease } = place;
    const kind = this.catalogue.kindOf(step.test.kind);
    if (!kind) throw new RangeError(`this version runs no test of kind ${step.test.kind}`);
    const { finals, results, unconfirmed, because } = await this.walkAttempts(place, kind);
    const metrics = kind.summarise(step.test, results);
    const endings = finals.filter(countsForStep).map(({ last }) => last.ending);
    const cancelled = because === 'cancelled' || (because === 'pointless' && lease.cancelled.aborted);
    const ending = stepEnding(cancelled ? [...endings, ended('cancelled-by-user')] : endings);
    await lease.write('end a step', (client) => recordStepEnd(client, this.events, leg, step, ending, metrics));
    return { test: step.test, metrics, results, state: ending.state, unconfirmed };
  }

  /** What an ended step gave, for the leg's criteria. */
  async recall({ step }: Pick<Place, 'step'>): Promise<EndedStep> {
    const planned = Map.groupBy(step.attempts, (attempt) => attempt.planIndex);
    const finals = [...planned.values()].flatMap((tries) => {
      const last = tries.at(-1);
      return last?.ending ? [{ plan: last.plan, last: { id: last.id, ending: last.ending } }] : [];
    });
    return { test: step.test, metrics: await this.results.ofStep(step.id), results: await this.results.of(finals) };
  }

  private async walkAttempts(place: Place, kind: Kind): Promise<Walked> {
    const { leg, step } = place;
    const course = new StepCourse(kind, leg, step);
    const walked: Omit<Walked, 'because'> = { finals: [], results: [], unconfirmed: [] };
    let nextN = Math.max(-1, ...step.attempts.map((attempt) => attempt.n)) + 1;
    const known = new Map<number, readonly Known[]>(Map.groupBy(step.attempts, (attempt) => attempt.planIndex));
    let toAsk = kind.asksFirst === true;
    // Ends: with the kind's last attempt, or at the first ending after which the others would be pointless.
    for (let planIndex = 0; ; planIndex += 1) {
      const isOpen = known.get(planIndex)?.some((attempt) => attempt.ending === undefined);
      if (toAsk && !isOpen)
        toAsk = !(await this.askFirst(place, course.listed, known, () => nextN++, walked.unconfirmed));
      const plan = course.plan(planIndex, walked.results);
      if (!plan) return { ...walked, because: 'complete' };
      const tries = known.get(planIndex) ?? [];
      const last = await this.attemptWithRetries(place, plan, planIndex, tries, () => nextN++, walked.unconfirmed);
      if (!last) return { ...walked, because: 'cancelled' };
      const over = endsStep(last.ending, this.needsOthers(plan));
      walked.finals.push({ plan, last, over });
      walked.results.push(...(await this.results.of([{ plan, last }])));
      if (over) return { ...walked, because: 'pointless' };
    }
  }

  /**
   * Carries out, as refused, each attempt that both ends' Inventories refuse, before any other begins. What would end the step
   * is the last of them. Each has its row, so that the next owner goes on from there.
   * @param known what is added to
   * @returns whether the ends answered; the walk shows what becomes of an end that does not, and they are asked again
   */
  private async askFirst(
    place: Place,
    plans: readonly AttemptPlan[],
    known: Map<number, readonly Known[]>,
    nextN: () => number,
    unconfirmed: string[],
  ): Promise<boolean> {
    const refusals = await this.means.refusals(plans, place.leg, place.lease);
    // Ends: with the last refusal.
    for (const { planIndex, plan, ending } of refusals ?? []) {
      if (place.lease.cancelled.aborted) break;
      const [first] = known.get(planIndex) ?? [];
      if (first?.ending) continue;
      const settled = first
        ? await this.settle(place, plan, first, unconfirmed)
        : await this.begin(place, plan, planIndex, nextN(), undefined, unconfirmed);
      if (settled) known.set(planIndex, [settled]);
      if (endsStep(ending, this.needsOthers(plan))) break;
    }
    return refusals !== undefined;
  }

  /** Whether the step's other attempts may succeed where this one lacks its tool. */
  private needsOthers(plan: AttemptPlan): boolean {
    const sided = plan.cell.direction !== undefined && this.means.prepare(plan)?.ability.hasServer === false;
    return plan.optional === true || sided;
  }

  /** @returns the last try; undefined when the run was cancelled before the first */
  private async attemptWithRetries(
    place: Place,
    plan: AttemptPlan,
    planIndex: number,
    known: readonly Known[],
    nextN: () => number,
    unconfirmed: string[],
  ): Promise<Try | undefined> {
    let tries = 0;
    let last: Try | undefined;
    for (const attempt of known) {
      tries += 1;
      last = await this.settle(place, plan, attempt, unconfirmed);
    }
    const givesWay = this.means.prepare(plan)?.ability.sharing === 'background';
    // Ends: after three tries (a background test: fifty), or at the first ending that is not tried again.
    for (;;) {
      const delayMs = last ? retryDelayMs(last.ending, tries, Math.random(), givesWay) : 0;
      if (delayMs === undefined || place.lease.cancelled.aborted) return last;
      const signal = AbortSignal.any([place.lease.over, place.lease.cancelled]);
      if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (place.lease.over.aborted) throw new LeaseLost(place.leg.id);
      const next = await this.begin(place, plan, planIndex, nextN(), last?.n, unconfirmed);
      if (!next) return last;
      last = next;
      tries += 1;
    }
  }

  /** @throws {LeaseLost} when this process is about to stop: the next owner begins it */
  private async begin(
    place: Place,
    plan: AttemptPlan,
    planIndex: number,
    n: number,
    retryOf: number | undefined,
    unconfirmed: string[],
  ): Promise<Try | undefined> {
    const { leg, step, lease } = place;
    if (this.drain.begun) throw new LeaseLost(leg.id);
    const how = this.means.prepare(plan);
    const longestDurationMs = how?.prepared.longestDurationMs ?? 0;
    const series = how && seriesOf(leg.path, plan, how.prepared);
    const id = await this.records.begin(lease, leg, step, { n, planIndex, plan, retryOf, longestDurationMs, series });
    if (id === undefined) return undefined;
    return this.conduct(place, plan, { id, n }, unconfirmed, undefined);
  }

  /** An attempt that has ended already, or one that another owner began and that goes on. */
  private async settle(place: Place, plan: AttemptPlan, attempt: Known, unconfirmed: string[]): Promise<Try> {
    if (!('started' in attempt)) return attempt;
    const { id, n, ending, ageMs, started } = attempt;
    if (ending) return { id, n, ending };
    return this.conduct(place, plan, { id, n }, unconfirmed, { ageMs, started });
  }

  private async conduct(
    { leg, step, lease }: Place,
    plan: AttemptPlan,
    { id, n }: { id: string; n: number },
    unconfirmed: string[],
    resumed: AttemptTask['resumed'],
  ): Promise<Try> {
    const how = this.means.prepare(plan);
    const path = pathFrom(leg.path, plan.startsAt);
    const probes = await this.means.probesOf(path);
    const short = { id, n, leg, step, lease, plan };
    if (!how || !probes) {
      const ending = ended(how ? 'path-gone' : 'spec-invalid');
      await this.records.fail(short, ending);
      return { id, n, ending };
    }
    const result = await this.runner.run({
      ...short,
      ...how,
      ...probes,
      path,
      ...(resumed ? { resumed } : {}),
    });
    unconfirmed.push(...result.unconfirmed);
    return { id, n, ending: result.ending };
  }
}
