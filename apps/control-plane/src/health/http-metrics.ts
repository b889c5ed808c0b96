import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The registry of this process, and what its HTTP side measures of itself. */
@Injectable()
export class HttpMetrics {
  readonly registry = new Registry();
  private readonly durations = new Histogram({
    name: 'plumbline_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });
  readonly streams = new Gauge({
    name: 'plumbline_event_streams',
    help: 'Open streams of run events',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Labels are bounded: the route is the pattern, and a method is one that HTTP has. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method: METHODS.has(method) ? method : 'other', route, status: String(status) }, seconds);
  }
}
