import {
  type Attempt,
  Command,
  CounterMovement,
  CriterionResult,
  Diagnosis,
  EndAccount,
  Finding,
  type Leg,
  Metric,
  Outcome,
  Reason,
  RouteChanges,
  type Step,
  StepReason,
} from '@plumbline/model';
import { z } from 'zod';
import { Prisma } from '../persistence/generated/client.js';
import { StoredTests } from '../plans/plan-schemas.js';
import type { Run, RunSummary } from './run-schemas.js';

/** What of the tables makes a run document: one query a table, not one a row. */
export const RUN_ROWS = {
  legs: {
    orderBy: { index: 'asc' },
    include: {
      steps: {
        orderBy: { index: 'asc' },
        include: {
          metrics: { where: { attemptId: null }, orderBy: { seq: 'asc' } },
          attempts: {
            orderBy: { n: 'asc' },
            omit: { result: true, spec: true },
            include: { metrics: { orderBy: { seq: 'asc' } } },
          },
        },
      },
    },
  },
} as const satisfies Prisma.RunInclude;

type RunRow = Prisma.RunGetPayload<{ include: typeof RUN_ROWS }>;
type LegRow = RunRow['legs'][number];
type StepRow = LegRow['steps'][number];
type AttemptRow = StepRow['attempts'][number];
type MetricRow = StepRow['metrics'][number];

const Offsets = z.record(z.string(), z.object({ offsetMs: z.number(), errorMs: z.number() }));
const Counters = z.record(z.string(), CounterMovement);
const Texts = z.record(z.string(), z.string());
const time = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Of attempts by id: what their results say of sender and receiver, and of changes. Results can be large: only these parts are read. */
export type ResultParts = ReadonlyMap<string, { readonly ends: unknown; readonly changes: unknown }>;

/** The run as PRODUCT.md has it. */
export const runDocument = (row: RunRow, parts: ResultParts): Run => ({
  id: row.id,
  state: row.state,
  verdict: row.verdict,
  plan: { ...planName(row), ...StoredTests.parse(row.planDocument) },
  ...runFacts(row),
  legs: row.legs.map((leg) => legDocument(leg, parts)),
});

type SummaryRow = Omit<RunRow, 'legs' | 'planDocument'> & { legs: { pathName: string }[] };
export const runSummary = (row: SummaryRow): RunSummary => ({
  id: row.id,
  state: row.state,
  verdict: row.verdict,
  plan: planName(row),
  paths: row.legs.map((leg) => leg.pathName),
  ...runFacts(row),
});

const planName = (row: Pick<RunRow, 'planName' | 'planVersion'>) => ({
  name: row.planName ?? undefined,
  version: row.planVersion ?? undefined,
});

const runFacts = (row: Omit<RunRow, 'legs' | 'planDocument'>) => ({
  label: row.label ?? undefined,
  priority: row.priority,
  notBefore: row.notBefore?.toISOString(),
  notAfter: row.notAfter?.toISOString(),
  createdAt: row.createdAt.toISOString(),
  startedAt: time(row.startedAt),
  endedAt: time(row.endedAt),
  reparsed:
    row.reparsedAt === null || row.reparsedBy === null
      ? undefined
      : { at: row.reparsedAt.toISOString(), version: row.reparsedBy },
});

const legDocument = (row: LegRow, parts: ResultParts): Leg => ({
  path: row.pathName,
  state: row.state,
  ...why(row),
  verdict: row.verdict,
  criteria: z.array(CriterionResult).parse(row.criteria),
  // What another version of the rules left may have another form: it can be derived again.
  diagnosis: Diagnosis.safeParse(row.diagnosis).data,
  startedAt: time(row.startedAt),
  endedAt: time(row.endedAt),
  steps: row.steps.map((step) => stepDocument(step, parts)),
});

const stepDocument = (row: StepRow, parts: ResultParts): Step => ({
  kind: row.kind,
  name: row.name ?? undefined,
  state: row.state,
  ...why(row),
  startedAt: time(row.startedAt),
  endedAt: time(row.endedAt),
  metrics: row.metrics.map(metricDocument),
  findings: z.array(Finding).parse(row.findings),
  attempts: row.attempts.map((attempt) => attemptDocument(attempt, parts)),
});

const why = (row: { reason: string | null; detail: string | null }) => ({
  reason: row.reason === null ? undefined : (StepReason.safeParse(row.reason).data ?? 'internal-error'),
  detail: row.detail ?? undefined,
});

const attemptDocument = (row: AttemptRow, parts: ResultParts): Attempt => {
  const cell = Texts.parse(row.cell);
  return {
    n: row.n,
    repeat: row.repeat,
    cell: Object.keys(cell).length === 0 ? undefined : cell,
    retryOf: row.retryOf ?? undefined,
    startsAt: row.startsAt === 'far' ? row.startsAt : undefined,
    startedAt: time(row.startedAt),
    endedAt: time(row.endedAt),
    // Prisma cannot have a dash in an enum.
    outcome: row.outcome === null ? null : Outcome.parse(row.outcome.replaceAll('_', '-')),
    reason: row.reason === null ? undefined : (Reason.safeParse(row.reason).data ?? 'internal-error'),
    detail: row.detail ?? undefined,
    metrics: row.metrics.map(metricDocument),
    commands: z.array(Command).parse(row.commands),
    notes: z.array(z.string()).parse(row.notes),
    ends: z.array(EndAccount).safeParse(parts.get(row.id)?.ends).data,
    changes: RouteChanges.safeParse(parts.get(row.id)?.changes).data,
    counters: row.counters === null ? undefined : Counters.parse(row.counters),
    clockOffsets: row.clockOffsets === null ? undefined : Offsets.parse(row.clockOffsets),
  };
};

const metricDocument = (row: MetricRow): Metric =>
  Metric.parse({
    name: row.name,
    value: row.value,
    unit: row.unit,
    labels: row.labels ?? undefined,
    reason: row.reason ?? undefined,
    spread: row.spread ?? undefined,
  });
