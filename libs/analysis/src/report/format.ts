/** A number that may be absent: absence is printed as `unknown`, never as 0. */
export type Known = number | null | undefined;

export const UNKNOWN = 'unknown';

type Scale = readonly (readonly [factor: number, unit: string])[];
const RATES: Scale = [
  [1, 'bit/s'],
  [1e3, 'kbit/s'],
  [1e6, 'Mbit/s'],
  [1e9, 'Gbit/s'],
  [1e12, 'Tbit/s'],
];
const SIZES: Scale = [
  [1, 'B'],
  [1e3, 'kB'],
  [1e6, 'MB'],
  [1e9, 'GB'],
  [1e12, 'TB'],
];
const TIMES: Scale = [
  [1e-3, 'µs'],
  [1, 'ms'],
  [1e3, 's'],
];

/** A rate in bit/s with three significant digits: `181 Mbit/s` (powers of 1000). */
export function formatRate(bps: Known): string {
  return scaled(bps, RATES);
}

/** A size in bytes with three significant digits: `348 kB` (powers of 1000). */
export function formatBytes(bytes: Known): string {
  return scaled(bytes, SIZES);
}

/** A size to the byte, for settings: `524,288 B`. */
export function formatBytesExact(bytes: Known): string {
  return isKnown(bytes) ? `${grouped(bytes)} B` : UNKNOWN;
}

/** A time in ms with three significant digits: `18.3 ms`, `80 µs`, `1.5 s`. */
export function formatMs(ms: Known): string {
  return scaled(ms, TIMES);
}

/** How many times one number is another: `2.47×`. */
export function formatRatio(ratio: Known): string {
  return isKnown(ratio) ? `${significant(ratio)}×` : UNKNOWN;
}

/** A ratio as per cent: 0.976 is `98 %`, 0.0046 `0.46 %`. Nothing short of 1 is printed as 100 %, nothing above 0 as 0 %. */
export function formatShare(ratio: Known): string {
  if (!isKnown(ratio)) return UNKNOWN;
  const percent = ratio * 100;
  const size = Math.abs(percent);
  if (size === 0 || (size >= 10 && size < 99) || size >= 100) return `${minus(String(Math.round(percent)))} %`;
  if (size >= 99) return `${minus(trim((Math.trunc(percent * 10) / 10).toFixed(1)))} %`;
  return `${significant(percent, 2)} %`;
}

/** A count with thousands grouped: `12,948`. */
export function formatCount(count: Known): string {
  return isKnown(count) ? grouped(count) : UNKNOWN;
}

/** `2026-11-30 16:02:11 UTC` from an RFC 3339 time; other text is returned as it is. */
export function formatTime(rfc3339: string): string {
  const at = new Date(rfc3339);
  return Number.isNaN(at.getTime())
    ? rfc3339
    : `${at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, '')} UTC`;
}

export function isKnown(value: Known): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** Plain decimal digits (never 1e+21), trailing zeros dropped, a real minus sign. */
function significant(value: number, digits = 3): string {
  if (value === 0) return '0';
  // The rounding may carry into one more digit: 999.6 has three digits before it, four after.
  const rounded = Number(value.toPrecision(digits));
  const exponent = Math.floor(Math.log10(Math.abs(rounded)));
  return minus(trim(rounded.toFixed(Math.min(Math.max(digits - 1 - exponent, 0), 20))));
}

function scaled(value: Known, scale: Scale): string {
  if (!isKnown(value)) return UNKNOWN;
  const size = Math.abs(Number(value.toPrecision(3)));
  const step = size === 0 ? scale.find(([factor]) => factor === 1) : (scale.findLast(([f]) => size >= f) ?? scale[0]);
  if (!step) return UNKNOWN;
  return `${significant(value / step[0])} ${step[1]}`;
}

const trim = (digits: string): string => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
const minus = (digits: string): string => digits.replace(/^-/, '\u2212');
const grouped = (value: number): string => minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','));
