import { abilities, measurements, tools } from './abilities.js';
import type { Sharing } from './ability.js';
import { derivedMetrics } from './derived-metrics.js';
import { jsonSchemaOf } from './json-schema.js';
import type { MetricFact } from './metric-fact.js';

/** What is measured, for GET /v1/catalogue. `spec` is JSON Schema 2020-12 of what travels to the probes. */
export interface MeasurementEntry {
  readonly kind: string;
  readonly schemaVersion: number;
  readonly sharing: Sharing;
  readonly tools: readonly string[];
  readonly metrics: readonly MetricFact[];
  readonly spec: Readonly<Record<string, unknown>>;
}
/** A program, for GET /v1/catalogue. */
export interface ToolEntry {
  readonly tool: string;
  readonly package: string;
  readonly versions: string;
  readonly measures: readonly string[];
}

export const measurementCatalogue = (): readonly MeasurementEntry[] =>
  measurements.map(({ kind, schemaVersion, sharing, metrics, spec }) => ({
    kind,
    schemaVersion,
    sharing,
    tools: abilities.filter((ability) => ability.measures === kind).map((ability) => ability.tool),
    metrics,
    spec: jsonSchemaOf(spec),
  }));

export const toolCatalogue = (): readonly ToolEntry[] =>
  tools.map((tool) => ({
    tool: tool.name,
    package: tool.package,
    versions: tool.versions,
    measures: abilities.filter((ability) => ability.tool === tool.name).map((ability) => ability.measures),
  }));

/**
 * Every metric once, by name. A name means the same in each measurement that has it; where they take it differently, the
 * description says how each does.
 */
export const metricCatalogue = (): readonly MetricFact[] => [...byName.values()];

/** @returns undefined for a name that no measurement and no kind of test has */
export const metricFact = (name: string): MetricFact | undefined => byName.get(name);

interface Described {
  readonly fact: MetricFact;
  readonly of: string | undefined;
}

const described: readonly Described[] = [
  ...measurements.flatMap(({ kind, metrics }) => metrics.map((fact) => ({ fact, of: kind }))),
  ...derivedMetrics.map((fact) => ({ fact, of: undefined })),
];

const byName: ReadonlyMap<string, MetricFact> = new Map(
  described
    .toReversed()
    .map(({ fact }) => [
      fact.name,
      { ...fact, description: descriptionOf(described.filter((one) => one.fact.name === fact.name)) },
    ]),
);

/** One text where all say the same; else each measurement's own, with its name before it. */
function descriptionOf(all: readonly Described[]): string {
  const measured = all.filter(({ of }) => of !== undefined);
  const texts = new Set((measured.length > 0 ? measured : all).map(({ fact }) => fact.description));
  if (texts.size === 1) return [...texts].join('');
  return [...texts]
    .map((text) => {
      const kinds = measured.filter(({ fact }) => fact.description === text).map(({ of }) => of);
      return `In ${kinds.join(' and ')}: ${text}`;
    })
    .join(' ');
}
