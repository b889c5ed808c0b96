import { Injectable, Logger } from '@nestjs/common';
import { combineStates, isTerminal, StepReason, StepState } from '@plumbline/model';
import { isConnectionFault } from '../../persistence/connection-fault.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import { Pursuit } from '../attempt/pursuit.js';
import { Catalogue, type EndedStep, type JudgedCriteria } from '../catalogue.js';
import { Diagnoser } from '../diagnosis/diagnoser.js';
import { ExecutionMetrics } from '../execution-metrics.js';
import { type Lease, LeaseLost } from './lease.js';
import { type LegDocument, loadLeg } from './leg-document.js';
import { type LegEnding, recordLegBroken, recordLegEnd, recordStepEnd } from './leg-records.js';
import { Ownership } from './ownership.js';
import { StepWalker } from './step-walker.js';

/** Walks legs: takes one, goes through its steps from where Postgres says it is, and ends it. */
@Injectable()
export class LegWalker {
  private readonly log = new Logger('Leg');

  constructor(
    private readonly database: PostgresDatabase,
    private readonly events: PostgresRunEvents,
    private readonly ownership: Ownership,
    private readonly steps: StepWalker,
    private readonly catalogue: Catalogue,
    private readonly metrics: ExecutionMetrics,
    private readonly pursuit: Pursuit,
    private readonly diagnoser: Diagnoser,
  ) {}

  /**
   * Advances a leg as far as this process can: to its end, or until it is lost. Somebody else's, an ended and an unknown leg are
   * left alone, so that it may be called any number of times. Never throws.
   * @returns whether the leg has ended here
   */
  async advance(legId: string): Promise<boolean> {
    let lease: Lease | undefined;
    try {
      lease = await this.ownership.take(legId);
      return lease ? await this.walk(lease) : false;
    } catch (error) {
      if (error instanceof LeaseLost) return false;
      this.log.error(`leg ${legId} broke off`, error);
      return lease && !isConnectionFault(error) ? await this.giveUp(lease) : false;
    } finally {
      if (lease) await this.ownership.release(lease);
    }
  }

  private async walk(lease: Lease): Promise<boolean> {
    const began = performance.now();
    const leg = await loadLeg(this.database, lease.legId);
    if (!leg) return false;
    if (leg.cancelRequested) lease.cancel();
    const early = await this.hindrance(leg);
    const state = early ? await this.endEarly(leg, lease, early) : await this.walkSteps(leg, lease);
    this.metrics.legEnded(state, performance.now() - began);
    return true;
  }

  /** A mistake of ours would happen again: the leg ends, and what may still run at probes keeps its claims for its time. */
  private async giveUp(lease: Lease): Promise<boolean> {
    try {
      await lease.write('end a broken leg', (client) => recordLegBroken(client, this.events, lease));
      this.metrics.legEnded('failed', 0);
      return true;
    } catch (error) {
      this.log.error(`leg ${lease.legId} could not be ended; it will be taken again`, error);
      return false;
    }
  }

  /** Why a leg that has not begun cannot begin. */
  private async hindrance(leg: LegDocument): Promise<'not-started-in-time' | 'path-gone' | undefined> {
    if (leg.state !== 'queued' || leg.cancelRequested) return undefined;
    if (leg.tooLate) return 'not-started-in-time';
    const name = leg.path.path.name;
    const path = await this.database.retrying('find the path', (client) =>
      client.path.findUnique({ where: { name }, select: { name: true } }),
    );
    return path ? undefined : 'path-gone';
  }

  private async endEarly(
    leg: LegDocument,
    lease: Lease,
    reason: 'not-started-in-time' | 'path-gone',
  ): Promise<LegEnding['state']> {
    await lease.write('end a leg early', (client) =>
      recordLegEnd(client, this.events, leg, { state: 'failed', reason }, { rest: { state: 'skipped', reason } }),
    );
    return 'failed';
  }

  private async walkSteps(leg: LegDocument, lease: Lease): Promise<LegEnding['state']> {
    const ended: EndedStep[] = [];
    const states: StepState[] = [];
    const unconfirmed: string[] = [];
    let stopped = false;
    // Ends: with the last step; cancelled and stopped legs pass the rest by.
    for (const step of leg.steps) {
      const state = StepState.parse(step.state);
      if (isTerminal(state)) {
        ended.push(await this.steps.recall({ step }));
        states.push(state);
      } else if (stopped) {
        await lease.write('skip a step', (client) =>
          recordStepEnd(client, this.events, leg, step, { state: 'skipped', reason: 'earlier-step-failed' }),
        );
        states.push('skipped');
      } else if (!lease.cancelled.aborted || step.attempts.some((attempt) => !attempt.ending)) {
        const walked = await this.steps.walk({ leg, step, lease });
        ended.push(walked);
        states.push(walked.state);
        unconfirmed.push(...walked.unconfirmed);
      }
      stopped ||= states.at(-1) === 'failed' && step.test.onFailure === 'stop';
    }
    return this.end(leg, lease, states, this.judge(leg, ended), unconfirmed);
  }

  private judge(leg: LegDocument, steps: readonly EndedStep[]): JudgedCriteria {
    try {
      return this.catalogue.judge(leg.criteria, steps, leg.path.path);
    } catch (error) {
      this.log.error(`the criteria of leg ${leg.id} could not be judged`, error);
      return { criteria: [], verdict: leg.criteria.length > 0 ? 'inconclusive' : 'none' };
    }
  }

  private async end(
    leg: LegDocument,
    lease: Lease,
    states: readonly StepState[],
    judged: JudgedCriteria,
    unconfirmed: readonly string[],
  ): Promise<LegEnding['state']> {
    const concluded = await this.diagnoser.concludeSafely(leg.id);
    return lease.write('end a leg', async (client) => {
      const steps = await client.step.findMany({ where: { legId: leg.id }, orderBy: { index: 'asc' } });
      const cancelled = lease.cancelled.aborted && states.length < leg.steps.length;
      const state = cancelled ? 'cancelled' : combineStates(states);
      const first = steps.find((step) => step.state === state && step.state !== 'succeeded');
      const reason = state === 'cancelled' ? 'run-cancelled' : StepReason.safeParse(first?.reason).data;
      await recordLegEnd(
        client,
        this.events,
        leg,
        {
          state,
          ...(reason ? { reason } : {}),
          ...(state === 'failed' && first?.detail ? { detail: first.detail } : {}),
        },
        {
          rest: { state: 'cancelled', reason: 'run-cancelled' },
          judged,
          ...(concluded ? { concluded } : {}),
          keepProbes: unconfirmed.filter((probe) => this.pursuit.isPending(leg.id, probe)),
        },
      );
      return state;
    });
  }
}
