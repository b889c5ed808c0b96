import { Injectable } from '@nestjs/common';
import { type Outcome, type Reason } from '@plumbline/model';
import { Counter, Histogram, Registry } from 'prom-client';

/** What this process did, for Prometheus: register `registry` beside the process's own. Names of runs and legs are never labels. */
@Injectable()
export class ExecutionMetrics {
  readonly registry = new Registry();
  private readonly dispatchDelay = new Histogram({
    name: 'plumbline_dispatch_delay_seconds',
    help: 'From when a leg could have started until it was claimed',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600],
    registers: [this.registry],
  });
  private readonly legs = new Counter({
    name: 'plumbline_legs_ended_total',
    help: 'Legs that ended in this process, by state',
    labelNames: ['state'],
    registers: [this.registry],
  });
  private readonly legDuration = new Histogram({
    name: 'plumbline_leg_duration_seconds',
    help: 'From taking a leg to its end, in this process',
    buckets: [1, 5, 15, 60, 300, 1_800, 7_200],
    registers: [this.registry],
  });
  private readonly attempts = new Counter({
    name: 'plumbline_attempts_ended_total',
    help: 'Attempts that ended in this process, by outcome and reason',
    labelNames: ['outcome', 'reason'],
    registers: [this.registry],
  });
  private readonly takeovers = new Counter({
    name: 'plumbline_takeovers_total',
    help: 'Legs in the middle that this process took over',
    registers: [this.registry],
  });
  private readonly breaks = new Counter({
    name: 'plumbline_stream_breaks_total',
    help: 'Streams of running attempts that broke and were attached again',
    registers: [this.registry],
  });

  dispatched(waitedMs: readonly number[]): void {
    for (const ms of waitedMs) this.dispatchDelay.observe(ms / 1000);
  }
  legEnded(state: string, durationMs: number): void {
    this.legs.inc({ state });
    this.legDuration.observe(durationMs / 1000);
  }
  attemptEnded(outcome: Outcome, reason: Reason | undefined): void {
    this.attempts.inc({ outcome, reason: reason ?? '' });
  }
  tookOver(): void {
    this.takeovers.inc();
  }
  streamBroke(): void {
    this.breaks.inc();
  }
}
