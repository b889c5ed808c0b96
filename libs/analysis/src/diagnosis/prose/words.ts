/** Numbers with their units, as a sentence needs them. What is unknown is said to be. */
const UNKNOWN = 'an unknown amount';

export const mbps = (bps: number | undefined): string => {
  if (bps === undefined) return 'an unknown rate';
  const [value, unit] = bps >= 1e9 ? [bps / 1e9, 'Gbit/s'] : bps >= 1e6 ? [bps / 1e6, 'Mbit/s'] : [bps / 1e3, 'kbit/s'];
  return `${digits(value)} ${unit}`;
};
export const ms = (value: number | undefined): string =>
  value === undefined ? 'an unknown time' : `${digits(value)} ms`;
export const bytes = (value: number | undefined): string => {
  if (value === undefined) return UNKNOWN;
  const [scaled, unit] = value >= 1e6 ? [value / 1e6, 'MB'] : value >= 1e3 ? [value / 1e3, 'kB'] : [value, 'B'];
  return `${digits(scaled)} ${unit}`;
};
export const percent = (ratio: number | undefined): string => {
  if (ratio === undefined) return 'an unknown share';
  const value = ratio * 100;
  return `${value !== 0 && Math.abs(value) < 1 ? value.toPrecision(2) : digits(value)} %`;
};
export const times = (ratio: number | undefined): string => (ratio === undefined ? 'several' : digits(ratio));

/** Three digits that count, and no more than a reader can use. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
