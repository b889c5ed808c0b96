import { Injectable, Optional } from '@nestjs/common';
import { ProbeState, RunState } from '@plumbline/model';
import { Gauge, Registry } from 'prom-client';
import { ExecutionMetrics } from '../execution/execution-metrics.js';
import { Database } from '../persistence/seams.js';
import { HttpMetrics } from './http-metrics.js';

/** What Postgres says of the whole installation, read when somebody scrapes. The same from every replica. */
@Injectable()
export class StateMetrics {
  private readonly gauges: ReturnType<typeof gaugesIn>;

  constructor(
    private readonly database: Database,
    private readonly metrics: HttpMetrics,
    @Optional() private readonly execution?: ExecutionMetrics,
  ) {
    this.gauges = gaugesIn(metrics.registry);
  }

  /** The text that Prometheus scrapes. */
  async render(): Promise<string> {
    await Promise.all([this.readRuns(), this.readQueue(), this.readProbes(), this.readAttempts()]);
    const registries = [this.metrics.registry, ...(this.execution ? [this.execution.registry] : [])];
    return Registry.merge(registries).metrics();
  }

  private async readRuns(): Promise<void> {
    const { run, leg } = this.database.client;
    const [runs, legs] = await Promise.all([
      run.groupBy({ by: ['state'], _count: true }),
      leg.groupBy({ by: ['state'], _count: true }),
    ]);
    for (const state of RunState.options) {
      this.gauges.runs.set({ state }, runs.find((row) => row.state === state)?._count ?? 0);
      this.gauges.legs.set({ state }, legs.find((row) => row.state === state)?._count ?? 0);
    }
  }

  private async readQueue(): Promise<void> {
    const now = new Date();
    const { leg, claim } = this.database.client;
    const [ready, claims] = await Promise.all([
      leg.aggregate({
        where: { state: 'queued', OR: [{ notBefore: null }, { notBefore: { lte: now } }] },
        _count: true,
        _min: { createdAt: true },
      }),
      claim.count(),
    ]);
    this.gauges.waiting.set(ready._count);
    this.gauges.oldest.set(ready._min.createdAt ? (now.getTime() - ready._min.createdAt.getTime()) / 1000 : 0);
    this.gauges.claims.set(claims);
  }

  private async readProbes(): Promise<void> {
    const probes = await this.database.client.probe.findMany({ select: { name: true, state: true } });
    for (const state of ProbeState.options)
      this.gauges.probes.set({ state }, probes.filter((p) => p.state === state).length);
    this.gauges.up.reset();
    for (const { name, state } of probes) this.gauges.up.set({ probe: name }, state === 'up' ? 1 : 0);
  }

  private async readAttempts(): Promise<void> {
    const rows = await this.database.client.attempt.groupBy({ by: ['outcome', 'reason'], _count: true });
    this.gauges.attempts.reset();
    for (const { outcome, reason, _count } of rows)
      this.gauges.attempts.set({ outcome: outcome?.replace('_', '-') ?? 'running', reason: reason ?? '' }, _count);
  }
}

function gaugesIn(registry: Registry) {
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []): Gauge<L> =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    runs: gauge('plumbline_runs', 'Runs by state', ['state']),
    legs: gauge('plumbline_legs', 'Legs by state', ['state']),
    waiting: gauge('plumbline_queue_depth', 'Legs that wait for their turn and may start now'),
    oldest: gauge('plumbline_queue_oldest_seconds', 'How long the oldest of them has waited'),
    claims: gauge('plumbline_claims_held', 'Claims on interfaces and shared links'),
    probes: gauge('plumbline_probes', 'Probes by state', ['state']),
    up: gauge('plumbline_probe_up', 'Whether a probe answered when it was last asked', ['probe']),
    attempts: gauge('plumbline_attempts', 'Attempts by outcome and reason', ['outcome', 'reason']),
  };
}
