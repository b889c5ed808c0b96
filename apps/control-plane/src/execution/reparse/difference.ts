import type { AttemptReading, Metric, ReadingDifference } from '@plumbline/model';

/** A reading with the typed result that belongs to it. */
export interface WholeReading {
  readonly reading: AttemptReading;
  /** As it is stored: JSON. */
  readonly result: unknown;
}

/** What two readings of the same bytes tell differently: how it ended, metrics, notes, then the result. Pure. */
export function differencesOf(before: WholeReading, after: WholeReading): ReadingDifference[] {
  const [one, two] = [before.reading, after.reading];
  return [
    ...differ('/outcome', one.outcome, two.outcome),
    ...differ('/reason', one.reason, two.reason),
    ...differ('/detail', one.detail, two.detail),
    ...metricDifferences(one.metrics, two.metrics),
    ...noteDifferences(one.notes, two.notes),
    ...differ('/result', before.result, after.result),
  ];
}

function metricDifferences(before: readonly Metric[], after: readonly Metric[]): ReadingDifference[] {
  const [one, two] = [byPath(before), byPath(after)];
  return [...new Set([...one.keys(), ...two.keys()])].flatMap((path) => differ(path, one.get(path), two.get(path)));
}

const byPath = (metrics: readonly Metric[]): Map<string, unknown> =>
  new Map(metrics.map((metric) => [pathOf(metric), metric.value ?? { unknown: metric.reason ?? null }]));

function pathOf({ name, labels }: Metric): string {
  const shown = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return `/metrics/${[name, ...shown.map(([key, value]) => `${key}=${value}`)].join(',')}`;
}

/** Their order says nothing: only what was added and what is gone. */
function noteDifferences(before: readonly string[], after: readonly string[]): ReadingDifference[] {
  const gone = before.filter((note) => !after.includes(note)).map((note) => ({ path: '/notes', before: note }));
  const added = after.filter((note) => !before.includes(note)).map((note) => ({ path: '/notes', after: note }));
  return [...gone, ...added];
}

/** Goes into lists and objects, so that one changed number of a long result is one difference. */
function differ(path: string, before: unknown, after: unknown): ReadingDifference[] {
  if (before === after) return [];
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const [one, two] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
    return [...new Set([...one.keys(), ...two.keys()])].flatMap((key) =>
      differ(`${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, one.get(key), two.get(key)),
    );
  }
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
