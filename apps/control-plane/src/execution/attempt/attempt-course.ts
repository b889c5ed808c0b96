import { BASELINE_PHASE } from '@plumbline/measure';
import { type End, type Ending, ended, type SocketSample } from '@plumbline/model';
import { labelled } from '@plumbline/plans';
import type { PostgresArtifactStore } from '../../persistence/postgres-artifact-store.js';
import type { Catalogue } from '../catalogue.js';
import type { Drain } from '../drain.js';
import type { ExecutionMetrics } from '../execution-metrics.js';
import { LeaseLost } from '../leg/lease.js';
import type { Inventories } from '../probes/inventories.js';
import type { ProbeConnections } from '../probes/probe-connections.js';
import type { ClockOffset, ProbeFacts } from '../probes/probe-facts.js';
import { TIMING } from '../timing.js';
import { AttemptConduct, type Conducted, type Hands } from './attempt-conduct.js';
import { acknowledge, dataSamples, keepBytes, readLeavings, stopAt } from './attempt-finish.js';
import { commandsOf, endedAtNear, startedPhases } from './attempt-output.js';
import { type AttemptRecords, attemptKey } from './attempt-records.js';
import { type AttemptTask, type Cause, ENDS, targetOf, unreachableReason } from './attempt-task.js';
import type { Consents } from './consent.js';
import { type Change, EndRecord } from './end-record.js';
import { finalEnding, reasonOf } from './endings.js';
import { LiveSamples } from './live-samples.js';
import { LiveWriter } from './live-writer.js';
import { callEnding, hindrance } from './preflight.js';
import type { Pursuit } from './pursuit.js';
import type { Series } from './series.js';
import type { AttemptSnapshots, Snapshots } from './snapshots.js';
import { pause } from './waiting.js';

/** What carries out attempts. */
export interface AttemptTools {
  readonly catalogue: Catalogue;
  readonly connections: ProbeConnections;
  readonly inventories: Inventories;
  readonly consents: Consents;
  readonly snapshots: AttemptSnapshots;
  readonly records: AttemptRecords;
  readonly series: Series;
  readonly store: PostgresArtifactStore;
  readonly metrics: ExecutionMetrics;
  readonly pursuit: Pursuit;
  readonly drain: Drain;
}

const TAKEN_OVER =
  "Another process of the control plane took this attempt over while it ran; its end is the probe's own.";
const BEGUN_ANEW = 'It was begun anew: the process that had prepared it ended before any program ran.';

/** How an attempt ended, and on which probes something of it may still run. */
export interface AttemptResult {
  readonly ending: Ending;
  readonly unconfirmed: readonly string[];
}

/** One attempt on its way from its row to its result. */
export class AttemptCourse {
  private readonly notes = new Set<string>();
  private readonly facts: Partial<Record<End, ProbeFacts>> = {};
  private readonly early = new AbortController();
  private before: Snapshots = {};
  private tookFarBefore = false;
  /** Resolves when the test's own program runs, or nothing will run any more. */
  private readonly underWay = Promise.withResolvers<void>();
  private storing: Promise<void> = Promise.resolve();
  private live: LiveSamples;
  private readonly writer: LiveWriter;
  private conduct: AttemptConduct | undefined;

  constructor(
    private readonly tools: AttemptTools,
    private task: AttemptTask,
    private readonly cause: Cause,
  ) {
    this.live = this.liveSamples({});
    this.writer = new LiveWriter(
      () => this.live.drain(),
      (batch) => tools.records.live(task, batch),
    );
  }

  /** @throws {LeaseLost} */
  async run(): Promise<AttemptResult> {
    const resumed = this.task.resumed ? await this.resume() : undefined;
    return resumed ?? this.begin();
  }

  /** @returns undefined when no probe knows of it and no program was ever seen: then it has yet to begin */
  private async resume(): Promise<AttemptResult | undefined> {
    const { records, snapshots } = this.tools;
    this.tools.metrics.tookOver();
    this.before = await snapshots.before(this.task);
    this.live = this.liveSamples(await records.shownUntil(this.task));
    const conducted = await this.conductWith(undefined);
    if (!('unknown' in conducted)) {
      this.note(TAKEN_OVER);
      if (conducted.records.near.finished) await this.learnNearClock();
      return this.finish(conducted);
    }
    if (this.task.resumed?.started === true) return this.finishWithout(ended('probe-lost'));
    return this.beginAnew();
  }

  /** For the time of its end; a probe that does not answer leaves that to our own clock. */
  private async learnNearClock(): Promise<void> {
    const near = targetOf(this.task, 'near');
    const facts = await this.tools.inventories.of(near, this.task.lease.over).catch(() => undefined);
    if (facts) this.facts.near = facts;
  }

  /** Its row was made, and its owner ended before a probe heard of it: it begins only now, and so does its time. */
  private async beginAnew(): Promise<undefined> {
    this.note(BEGUN_ANEW);
    await this.tools.records.beginAnew(this.task);
    const { resumed: _, ...fresh } = this.task;
    this.task = fresh;
    return undefined;
  }

  private async begin(): Promise<AttemptResult> {
    const hindered = await this.learn();
    if (hindered) return this.finishWithout(hindered);
    const near = this.facts.near;
    if (!near) return this.finishWithout(ended(unreachableReason(this.task, 'near')));
    // No probe has heard of it yet: whoever owns it next begins it.
    if (this.tools.drain.begun) throw new LeaseLost(this.task.leg.id);
    const signal = AbortSignal.any([this.cause.signal, this.task.lease.over]);
    const asking = this.tools.consents.ask(this.task, near, signal);
    // While the far side starts its server the near one has nothing to do.
    setImmediate(() => this.takeBefore('near'));
    const consent = await asking;
    if (this.task.lease.over.aborted) throw new LeaseLost(this.task.leg.id);
    if ('outcome' in consent || this.cause.ending) {
      this.early.abort();
      // Without an answer the far side may have begun all the same; an id that was stopped never starts.
      if (this.cause.ending || ('outcome' in consent && consent.outcome === 'failed'))
        await Promise.all(ENDS.map((end) => this.stop(end, this.cause.reason ?? 'interrupted')));
      return this.finishWithout('outcome' in consent ? consent : ended('cancelled-by-user'));
    }
    // Nothing was sent yet. The far side gives whoever owns it next the same consent, or has ended its server by then.
    if (this.tools.drain.begun) {
      this.early.abort();
      throw new LeaseLost(this.task.leg.id);
    }
    const conducted = await this.conductWith(consent);
    return 'unknown' in conducted ? this.finishWithout(ended('probe-lost')) : this.finish(conducted);
  }

  /** Once Execute is on its way: now the far side has nothing to do, and nothing of the test was sent yet. */
  private takeFarBeforeOnce(): void {
    if (this.tookFarBefore) return;
    this.tookFarBefore = true;
    setImmediate(() => this.takeBefore('far'));
  }

  /**
   * Begins to read the facts of one end before the test; they are stored in the background. The test does not wait for
   * them: counters are read at once, and what takes longer (route, qdisc, offloads) is not changed by a test.
   */
  private takeBefore(end: End): void {
    const signal = AbortSignal.any([this.cause.signal, this.task.lease.over, this.early.signal]);
    const note = (text: string): void => this.note(text);
    const { stored } = this.tools.snapshots.take(this.task, 'before', {
      ends: [end],
      into: this.before,
      signal,
      note,
      later: this.underWay.promise,
    });
    this.storing = Promise.all([this.storing, stored]).then(() => undefined);
  }

  /** Both Inventories. A light test may go on without the far one: it may have a standing grant. */
  private async learn(): Promise<Ending | undefined> {
    const signal = AbortSignal.any([this.cause.signal, this.task.lease.over]);
    const failed = await Promise.all(
      ENDS.map(async (end) => {
        try {
          this.facts[end] = await this.tools.inventories.of(targetOf(this.task, end), signal);
          return undefined;
        } catch (error) {
          const ending = callEnding(this.task, end, error);
          const mayBeAway = end === 'far' && this.task.ability.standingGrant && ending.outcome === 'failed';
          return mayBeAway ? undefined : ending;
        }
      }),
    );
    return this.cause.ending ?? failed.find((ending) => ending !== undefined) ?? hindrance(this.task, this.facts);
  }

  private async conductWith(consent: Parameters<AttemptConduct['run']>[0]): Promise<Conducted | { unknown: true }> {
    const hands: Hands = {
      connect: async (end) => {
        const connection = await this.tools.connections.to(targetOf(this.task, end));
        if (consent && end === 'near') this.takeFarBeforeOnce();
        return connection;
      },
      stop: (end, reason) => this.stop(end, reason),
      onChange: (end, change) => this.onChange(end, change),
      onBreak: () => this.tools.metrics.streamBroke(),
    };
    this.conduct = new AttemptConduct(this.task, this.cause, hands, this.task.lease.over);
    const conducted = await this.conduct.run(consent);
    if (this.task.lease.over.aborted) throw new LeaseLost(this.task.leg.id);
    return conducted;
  }

  private onChange(end: End, change: Change): void {
    if (change.kind === 'started') {
      // The programs that read more facts must not compete with the test's own for the host while that connects.
      if (end === 'near' && change.started.phase !== BASELINE_PHASE)
        setTimeout(() => this.underWay.resolve(), TIMING.factsAfterMs).unref();
      const records = this.conduct?.records;
      const commands = records ? ENDS.flatMap((one) => commandsOf(records[one])) : [];
      this.tools.records.commands(this.task, commands).catch(() => undefined);
    }
    if (change.kind !== 'sample' || change.sample.tool !== 'ss') return;
    const { text, elapsedMs } = change.sample;
    const read = this.tools.catalogue.readSample(text, end, elapsedMs);
    for (const note of read.notes) this.note(note);
    this.live.take(end, elapsedMs, read.samples);
    this.writer.touch();
  }

  private finishWithout(ending: Ending): Promise<AttemptResult> {
    const records = { near: new EndRecord('near'), far: new EndRecord('far') };
    const first = this.cause.ending ?? ending;
    return this.finish({ records, ending: first, unconfirmed: [], ran: false });
  }

  /** Stores bytes, reads them, and ends the attempt in one transaction; then the probes may forget it. */
  private async finish(conducted: Conducted): Promise<AttemptResult> {
    const { task, tools } = this;
    this.underWay.resolve();
    const records = ENDS.map((end) => conducted.records[end]);
    await this.writer.stop();
    const leavings = { records, samples: this.live.all, before: this.before, ending: conducted.ending };
    const storing = keepBytes(tools.store, records);
    const reading = await tools.series.besideLast(task.id, task.prepared, readLeavings(task, leavings));
    const artifacts = await storing;
    const ending = finalEnding(conducted.ending, reading.ending, conducted.far);
    const known = [...this.notes, ...records.flatMap((record) => record.notes)].slice(0, 200);
    const replaceSamples = task.resumed !== undefined;
    const rest = [...this.writer.failed.flatMap((batch) => batch.rows), ...(this.live.drain()?.rows ?? [])];
    await tools.records.end(task, {
      ending,
      metrics: labelled(reading.metrics, task.plan.cell),
      result: reading.result,
      notes: [...known, ...reading.notes].slice(0, 200),
      conducted: { ending: conducted.ending, notes: known },
      commands: records.flatMap(commandsOf),
      artifacts,
      clocks: this.clocks(),
      samples: replaceSamples ? dataSamples(task, leavings) : rest,
      replaceSamples,
      endedAt: task.resumed ? endedAtNear(conducted.records.near, this.clocks().near) : undefined,
    });
    tools.metrics.attemptEnded(ending.outcome, reasonOf(ending));
    acknowledge(tools.connections, task);
    tools.pursuit.begin(task, reasonOf(ending) ?? 'interrupted', conducted.unconfirmed);
    await this.afterwards(conducted.ran);
    return { ending, unconfirmed: conducted.unconfirmed.map((end) => targetOf(task, end).name) };
  }

  /** The facts after a test, once its result can be read. */
  private async afterwards(ran: boolean): Promise<void> {
    this.early.abort();
    await Promise.race([this.storing, pause(TIMING.snapshotMs)]);
    if (!ran || this.task.lease.over.aborted) return;
    const [signal, note] = [this.task.lease.over, () => undefined];
    const after: Snapshots = {};
    await this.tools.snapshots.take(this.task, 'after', { ends: ENDS, into: after, signal, note }).stored;
    await this.tools.snapshots.keepMovement(this.task, this.before, after);
  }

  private stop(end: End, reason: string): Promise<boolean> {
    return stopAt(this.tools.connections, this.task, end, reason);
  }

  private clocks(): Partial<Record<End, ClockOffset>> {
    const known = (end: End) => this.facts[end] ?? this.tools.inventories.peek(targetOf(this.task, end).name);
    return Object.fromEntries(ENDS.flatMap((end) => (known(end) ? [[end, known(end)?.clock]] : [])));
  }

  private liveSamples(shownUntilMs: Partial<Record<End, number>>): LiveSamples {
    const key = attemptKey(this.task.leg, this.task.step, this.task.n);
    const isData = (sample: SocketSample): boolean => {
      const records = this.conduct?.records;
      const phases = records ? ENDS.flatMap((end) => startedPhases(records[end])) : [];
      return this.task.prepared.isDataSocket(sample, phases);
    };
    return new LiveSamples(key, isData, shownUntilMs);
  }

  private note(text: string): void {
    this.notes.add(text);
  }
}
