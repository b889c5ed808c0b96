import { Injectable } from '@nestjs/common';
import { type Advice, isTerminal, ProblemError, type Rediagnosis } from '@plumbline/model';
import { z } from 'zod';
import type { Caller } from '../access/tokens.js';
import { type GivenAnswer, Idempotency } from '../http/idempotency.js';
import { type Page, windowOf } from '../http/pages.js';
import { notThere } from '../http/refusals.js';
import { Database, Execution } from '../persistence/seams.js';
import { RunCreation } from './run-creation.js';
import { type ResultParts, RUN_ROWS, runDocument, runSummary } from './run-document.js';
import type { Run, RunAccepted, RunInput, RunSummary, RunsQuery } from './run-schemas.js';

/** Where a page of runs ends: newest first, and of one millisecond by id. */
const RunKey = z.tuple([z.iso.datetime(), z.uuid()]);

@Injectable()
export class Runs {
  constructor(
    private readonly database: Database,
    private readonly execution: Execution,
    private readonly creation: RunCreation,
    private readonly idempotency: Idempotency,
  ) {}

  /** @throws {ProblemError} invalid-request, idempotency-mismatch, idempotency-in-progress */
  async create(input: RunInput, key: string | undefined, caller: Caller): Promise<GivenAnswer> {
    const answer = await this.idempotency.once(key, `${caller.tokenId} POST /v1/runs`, input, async (transaction) => {
      const run = await this.creation.create(input, transaction);
      return { status: 202, body: run, headers: { location: `/v1/runs/${run.id}` } };
    });
    // The rows are there: a dispatcher that misses this look finds them at its next.
    if (!answer.replayed) this.execution.poke().catch(() => undefined);
    return answer;
  }

  async list(query: RunsQuery): Promise<Page<RunSummary>> {
    const { state, plan, path, label } = query;
    const window = windowOf(query, RunKey, { state, plan, path, label });
    const [at, id] = window.after ?? [];
    const rows = await this.database.client.run.findMany({
      where: {
        state,
        planName: plan,
        label,
        ...(path === undefined ? {} : { legs: { some: { pathName: path } } }),
        ...(at === undefined ? {} : { OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: id } }] }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: window.size + 1,
      omit: { planDocument: true },
      include: { legs: { select: { pathName: true }, orderBy: { index: 'asc' } } },
    });
    return window.page(rows, (row): z.output<typeof RunKey> => [row.createdAt.toISOString(), row.id], runSummary);
  }

  /** @throws {ProblemError} not-found */
  async get(id: string): Promise<Run> {
    const row = await this.database.client.run.findUnique({ where: { id }, include: RUN_ROWS });
    if (!row) throw notThere('run', id);
    const attempts = row.legs.flatMap((leg) => leg.steps.flatMap((step) => step.attempts));
    return runDocument(row, await this.partsOf(attempts.map((attempt) => attempt.id)));
  }

  private async partsOf(attemptIds: readonly string[]): Promise<ResultParts> {
    if (attemptIds.length === 0) return new Map();
    const rows = await this.database.client.$queryRaw<{ id: string; ends: unknown; changes: unknown }[]>`
      SELECT id, result -> 'ends' AS ends, result -> 'changes' AS changes FROM attempt
      WHERE id = ANY(${attemptIds}::uuid[]) AND (result -> 'ends' IS NOT NULL OR result -> 'changes' IS NOT NULL)`;
    return new Map(rows.map(({ id, ...parts }) => [id, parts]));
  }

  /** A run that was cancelled already is answered like the first time. @throws {ProblemError} not-found; conflict when it has ended otherwise */
  async cancel(id: string): Promise<RunAccepted> {
    const { run } = this.database.client;
    const before = await run.findUnique({ where: { id }, select: { id: true, state: true } });
    if (!before) throw notThere('run', id);
    if (before.state === 'cancelled') return before;
    if (isTerminal(before.state)) throw new ProblemError('conflict', `The run has ended: it ${before.state}.`);
    await this.execution.cancelRun(id);
    return run.findUniqueOrThrow({ where: { id }, select: { id: true, state: true } });
  }

  /** @throws {ProblemError} not-found; conflict when it has not ended */
  diagnose(id: string, options: { readonly store: boolean }): Promise<Rediagnosis> {
    return this.execution.rediagnose(id, options);
  }

  /** @throws {ProblemError} not-found; conflict when the run has not ended, or nothing of the leg was attempted */
  async advice(id: string, leg: number): Promise<Advice> {
    const found = await this.database.client.leg.findUnique({
      where: { runId_index: { runId: id, index: leg } },
      select: { id: true, run: { select: { state: true } } },
    });
    if (!found) throw notThere('leg', `legs/${leg} of run ${id}`);
    if (!isTerminal(found.run.state))
      throw new ProblemError('conflict', 'The run has not ended: advice follows from all of its tests. Wait for it.');
    const advice = await this.execution.advise(found.id);
    if (!advice)
      throw new ProblemError('conflict', 'Nothing of the leg was attempted, so there is nothing to advise on.');
    return advice;
  }
}
