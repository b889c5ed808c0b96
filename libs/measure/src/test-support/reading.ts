import type { Ending, Metric } from '@plumbline/model';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../ability.js';

/** What the programs of one attempt left behind, and where that comes from. */
export interface Recording {
  readonly source: string;
  readonly phases: readonly PhaseOutput[];
}

/** As the control plane hands it to a reader. The probe's plain view: tool-failed when the near program's exit code says so. */
export function outputOf({ phases }: Recording, more: Partial<AttemptOutput> = {}): AttemptOutput {
  const failed = phases.find(({ end, exitCode }) => end === 'near' && exitCode !== 0);
  const ending: Ending = failed
    ? { outcome: 'failed', reason: 'tool-failed', detail: `${failed.tool} ended with exit code ${failed.exitCode}.` }
    : { outcome: 'completed' };
  return { phases, samples: [], snapshots: {}, ending, ...more };
}

/** The recording with other text in one program's stdout or stderr. */
export const withText = (
  { source, phases }: Recording,
  name: string,
  texts: Partial<Pick<PhaseOutput, 'stdout' | 'stderr' | 'exitCode'>>,
): Recording => ({ source, phases: phases.map((p) => (p.name === name ? { ...p, ...texts } : p)) });

/** A metric's value, else why it has none. */
export function valueIn(reading: Reading, name: string, labels: Metric['labels'] = {}): number | string {
  const wanted = JSON.stringify(Object.entries(labels ?? {}).sort());
  const found = reading.metrics.filter(
    (m) => m.name === name && JSON.stringify(Object.entries(m.labels ?? {}).sort()) === wanted,
  );
  if (found.length !== 1) return `${found.length} of ${name}`;
  return found[0]?.value ?? found[0]?.reason ?? 'no reason';
}

/** What must hold of every reading, whatever was read: finite numbers, a reason for each null, no value after a failure. */
export function expectSound({ ending, metrics, result, notes }: Reading): void {
  for (const { name, value, reason } of metrics) {
    if (value === null) expect(reason, name).toBeDefined();
    else expect(Number.isFinite(value), `${name} is ${value}`).toBe(true);
    if (value !== null) expect(reason, name).toBeUndefined();
  }
  if (ending.outcome !== 'completed' && ending.outcome !== 'partial')
    expect(metrics.filter(({ value }) => value !== null)).toEqual([]);
  if (ending.outcome !== 'completed') expect(ending.reason).toBeDefined();
  expect(() => JSON.stringify({ result, notes })).not.toThrow();
}

/** A text as a dying program, a full disk or another version might leave it: cut, repeated, with other numbers and words. */
export function mutated(text: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: text.length });
  const insert = fc.constantFrom(
    ...['\0', '\n', '{', '}', '"', ',', '-', '.', '0', '9', 'e9', '-1', 'nan', 'inf', '1e999', '99999999999999999999'],
    ...['null', '[]', '???', '%', 'ms', ' ', '\u2028', 'error'],
  );
  return fc.oneof(
    place.map((at) => text.slice(0, at)),
    fc.tuple(place, insert).map(([at, word]) => text.slice(0, at) + word + text.slice(at)),
    fc.tuple(place, fc.nat({ max: 40 }), insert).map(([at, n, word]) => text.slice(0, at) + word + text.slice(at + n)),
    fc.tuple(place, place).map(([a, b]) => text.slice(0, Math.max(a, b)) + text.slice(Math.min(a, b))),
    fc.tuple(place, fc.string({ maxLength: 30 })).map(([at, noise]) => text.slice(0, at) + noise + text.slice(at)),
  );
}
