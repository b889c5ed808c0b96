/**
 * Quantities as people write them on a command line: `100M`, `2ms`, `150KB`, `0.1%`.
 * Rates and KB, MB are powers of 1000; KiB, MiB of 1024. Every function throws a RangeError whose message is a sentence.
 */

const NUMBER = /^(\d+(?:\.\d+)?)\s*([A-Za-z%µ/]*)$/;

function split(text: string, what: string, example: string): { amount: number; unit: string } {
  const m = NUMBER.exec(text.trim());
  const amount = Number(m?.[1]);
  if (!m || !Number.isFinite(amount)) throw new RangeError(`'${text}' is not ${what}; write it like ${example}`);
  return { amount, unit: m[2] ?? '' };
}

/** Rounds away what binary fractions add: 1.1 * 1e6 is 1100000, not 1100000.0000000002. */
const tidy = (value: number): number => Number(value.toPrecision(12));

const RATE_FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 };

/** `100M`, `1.5G`, `20Mbit/s`, `20000000`: bits a second. */
export function parseRate(text: string): number {
  const { amount, unit } = split(text, 'a rate', '100M or 1G (bits a second)');
  const factor = RATE_FACTORS[unit.replace(/(bit(\/s)?|bps)$/, '')];
  if (factor === undefined) throw new RangeError(`'${text}' is not a rate; write it like 100M or 1G (bits a second)`);
  return tidy(amount * factor);
}

const DURATION_FACTORS: Readonly<Record<string, number>> = { us: 1e-3, µs: 1e-3, ms: 1, s: 1e3 };

/** `2ms`, `500us`, `1.5s`, `0`: milliseconds. Any other number needs its unit. */
export function parseDuration(text: string): number {
  const { amount, unit } = split(text, 'a time', '2ms, 500us or 1s');
  if (amount === 0 && unit === '') return 0;
  const factor = DURATION_FACTORS[unit];
  if (factor === undefined) throw new RangeError(`'${text}' needs a unit of time: us, ms or s`);
  return tidy(amount * factor);
}

const SIZE_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** `150KB`, `2.5MB`, `64KiB`, `1500`: whole bytes. A bare K or M is refused, because tools disagree about it. */
export function parseSize(text: string): number {
  const { amount, unit } = split(text, 'a size', '150KB, 64KiB or 1500');
  const factor = SIZE_FACTORS[unit];
  if (factor === undefined) throw new RangeError(`'${text}' needs a unit of size: B, KB (1000), KiB (1024), MB or MiB`);
  const sizeBytes = tidy(amount * factor);
  if (!Number.isInteger(sizeBytes)) throw new RangeError(`'${text}' is not a whole number of bytes`);
  return sizeBytes;
}

/** `0.1%` or `0.001`: a ratio from 0 to 1. */
export function parseRatio(text: string): number {
  const { amount, unit } = split(text, 'a ratio', '0.1% or 0.001');
  if (unit !== '' && unit !== '%') throw new RangeError(`'${text}' is not a ratio; write it like 0.1% or 0.001`);
  const ratio = tidy(unit === '%' ? amount / 100 : amount);
  if (ratio > 1) throw new RangeError(`'${text}' is more than everything; write 5% or 0.05 for five in a hundred`);
  return ratio;
}

/** `7`, `0`: a whole number below 2^32. */
export function parseCount(text: string): number {
  const { amount, unit } = split(text, 'a whole number', '7');
  if (unit !== '' || !Number.isInteger(amount) || amount >= 2 ** 32)
    throw new RangeError(`'${text}' is not a whole number below 4294967296`);
  return amount;
}

function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const [factor, unit] = units.find(([size]) => value >= size) ?? units[units.length - 1] ?? [1, ''];
  return `${Number((value / factor).toPrecision(6))} ${unit}`;
}

/** 100000000 -> `100 Mbit/s`. */
export const formatRate = (rateBps: number): string =>
  scaled(rateBps, [
    [1e9, 'Gbit/s'],
    [1e6, 'Mbit/s'],
    [1e3, 'kbit/s'],
    [1, 'bit/s'],
  ]);

/** 150000 -> `150 KB`. */
export const formatSize = (sizeBytes: number): string =>
  scaled(sizeBytes, [
    [1e6, 'MB'],
    [1e3, 'KB'],
    [1, 'B'],
  ]);

/** 0.02 -> `0.02 ms`. */
export const formatDuration = (durationMs: number): string => `${Number(durationMs.toPrecision(6))} ms`;

/** 0.001 -> `0.1 %`. */
export const formatRatio = (ratio: number): string => `${Number((ratio * 100).toPrecision(6))} %`;
