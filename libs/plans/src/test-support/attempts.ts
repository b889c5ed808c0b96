import { ended, type Metric, type Path, type Reason, type Unit } from '@plumbline/model';
import type { AttemptPlan, AttemptResult, Kind } from '../kind.js';

/** A path with a contract: 20 Mbit/s counted on IP bytes. */
export const somePath = (more: Partial<Path> = {}): Path => ({
  name: 'a-b',
  source: { probe: 'a', endpoint: 'eth0' },
  destination: { probe: 'b', endpoint: 'eth0' },
  committedRateBps: 20e6,
  rateLayer: 'ip',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

export const completed = (plan: AttemptPlan, metrics: readonly Metric[]): AttemptResult => ({
  plan,
  ending: { outcome: 'completed' },
  metrics,
});
export const failed = (plan: AttemptPlan, reason: Reason, metrics: readonly Metric[] = []): AttemptResult => ({
  plan,
  ending: ended(reason),
  metrics,
});

export const value = (name: string, unit: Unit, number: number, labels?: Metric['labels']): Metric =>
  labels ? { name, unit, value: number, labels } : { name, unit, value: number };

/** A step's metric by name and labels; it must be there once. */
export function only(metrics: readonly Metric[], name: string, labels: Metric['labels'] = {}): Metric {
  const found = metrics.filter((m) => m.name === name && sameLabels(m.labels ?? {}, labels ?? {}));
  if (found.length !== 1) throw new Error(`${found.length} metrics ${name} ${JSON.stringify(labels)}`);
  return found[0]!;
}

const sameLabels = (a: object, b: object): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

/** The test as a plan stores it, defaults filled in. */
export const stored = (kind: Kind, test: object): unknown => kind.test.parse({ kind: kind.kind, ...test });
