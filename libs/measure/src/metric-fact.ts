import type { Unit } from '@plumbline/model';

/** What the catalogue says of a metric. `better` is the direction of good: comparisons and the gate read it. */
export interface MetricFact {
  readonly name: string;
  readonly unit: Unit;
  readonly description: string;
  readonly better: 'higher' | 'lower' | 'none';
}
