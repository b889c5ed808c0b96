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
 * Every metric once, by name. A name means the same in each measurement that has it; what differs (how it is taken) is in
 * that measurement's own entry.
 */
export const metricCatalogue = (): readonly MetricFact[] => [...byName.values()];

/** @returns undefined for a name that no measurement and no kind of test has */
export const metricFact = (name: string): MetricFact | undefined => byName.get(name);

const byName: ReadonlyMap<string, MetricFact> = new Map(
  [...measurements.flatMap((measurement) => measurement.metrics), ...derivedMetrics]
    .toReversed()
    .map((fact) => [fact.name, fact] as const),
);
