import type { Unit } from '@plumbline/model';

const SCALES: readonly (readonly [number, string])[] = [
  [1e9, 'Gbit/s'],
  [1e6, 'Mbit/s'],
  [1e3, 'kbit/s'],
];

/** A number with its unit, four significant digits: rates in the largest unit that fits. */
export function formatValue(value: number, unit: Unit): string {
  if (unit === 'ratio') return rounded(value);
  const [by, name] = (unit === 'bit/s' && SCALES.find(([scale]) => Math.abs(value) >= scale)) || [1, unit];
  return `${rounded(value / by)} ${name}`;
}

const rounded = (value: number): string => String(Number(value.toPrecision(4)));
