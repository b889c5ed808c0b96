import { expect, test } from 'vitest';
import {
  formatRate,
  formatRatio,
  formatSize,
  parseCount,
  parseDuration,
  parseRate,
  parseRatio,
  parseSize,
} from '../src/quantities.js';

test.each([
  ['100M', 100e6],
  ['1G', 1e9],
  ['1.1M', 1_100_000],
  ['64k', 64e3],
  ['20Mbit/s', 20e6],
  ['20Mbps', 20e6],
  ['2.5Gbit', 2.5e9],
  ['20000000', 20e6],
])('rate %s', (text, rateBps) => expect(parseRate(text)).toBe(rateBps));

test.each(['', 'fast', '-1M', '1T', '100MB', '1e6', '10 0M', 'NaN', '0x10'])('no rate: %j', (text) =>
  expect(() => parseRate(text)).toThrow(/is not a rate; write it like 100M/),
);

test.each([
  ['2ms', 2],
  ['500us', 0.5],
  ['1.5s', 1500],
  ['0', 0],
  ['18 ms', 18],
])('time %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each(['2', '2m', '-2ms', 'soon', '1h'])('no time: %j', (text) =>
  expect(() => parseDuration(text)).toThrow(RangeError),
);

test.each([
  ['150KB', 150_000],
  ['150kB', 150_000],
  ['2.5MB', 2_500_000],
  ['64KiB', 65_536],
  ['1500', 1500],
  ['1500B', 1500],
])('size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

test('a size that tools disagree about is refused with the two ways to say it', () => {
  expect(() => parseSize('64K')).toThrow(/KB \(1000\), KiB \(1024\)/);
  expect(() => parseSize('1.5')).toThrow(/whole number of bytes/);
});

test.each([
  ['0.1%', 0.001],
  ['5%', 0.05],
  ['0.05', 0.05],
  ['100%', 1],
  ['0', 0],
])('ratio %s', (text, ratio) => expect(parseRatio(text)).toBe(ratio));

test.each(['5', '101%', '-1%', '1M'])('no ratio: %j', (text) => expect(() => parseRatio(text)).toThrow(RangeError));

test('counts are whole numbers below 2^32', () => {
  expect(parseCount('4294967295')).toBe(4294967295);
  for (const text of ['4294967296', '1.5', '1k', '-1']) expect(() => parseCount(text)).toThrow(RangeError);
});

test('what is printed is read back as the same number', () => {
  for (const rateBps of [999, 20e6, 100e6, 1e9, 2.5e9])
    expect(parseRate(formatRate(rateBps).replace(' ', ''))).toBe(rateBps);
  for (const sizeBytes of [1, 1500, 150_000, 2_500_000]) expect(parseSize(formatSize(sizeBytes))).toBe(sizeBytes);
  for (const ratio of [0, 0.001, 0.05, 1]) expect(parseRatio(formatRatio(ratio))).toBe(ratio);
});
