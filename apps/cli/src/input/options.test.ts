import { InvalidArgumentError } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { number, pair, rateBps, timeMs, wholeNumber } from './options.js';

test.each([
  ['200M', 200e6],
  ['1.5G', 1.5e9],
  ['64k', 64_000],
  ['200Mbit/s', 200e6],
  ['10 gbps', 10e9],
  ['1448', 1448],
])('%s is %d bit/s', (text, bps) => expect(rateBps(text)).toBe(bps));

test.each(['', '0', '-5M', '5MB', 'M', '5 X', 'fast', '1e9k'])('"%s" is no rate', (text) => {
  expect(() => rateBps(text)).toThrow(InvalidArgumentError);
});

test.each([
  ['18ms', 18],
  ['18', 18],
  ['0.5s', 500],
  ['800us', 0.8],
  ['1.1 ms', 1.1],
])('%s is %d ms', (text, ms) => expect(timeMs(text)).toBe(ms));

test.each(['', '-1ms', '18m', 'ms', '1h'])('"%s" is no time', (text) => {
  expect(() => timeMs(text)).toThrow(InvalidArgumentError);
});

describe('numbers and pairs', () => {
  it('takes whole numbers in their range only', () => {
    const port = wholeNumber(1, 65_535);
    expect(port('7420')).toBe(7420);
    for (const text of ['0', '65536', '80.5', '0x50', '', '-1', ' 80'])
      expect(() => port(text)).toThrow(InvalidArgumentError);
  });
  it('takes decimal numbers', () => {
    expect(number('0.001')).toBe(0.001);
    expect(number('1e-3')).toBe(0.001);
    for (const text of ['', 'NaN', 'Infinity', '-1', '1,5']) expect(() => number(text)).toThrow(InvalidArgumentError);
  });
  it('takes NAME=VALUE, and the value may hold another =', () => {
    expect(pair('a=b=c')).toEqual(['a', 'b=c']);
    for (const text of ['a', '=b', 'a=']) expect(() => pair(text)).toThrow(InvalidArgumentError);
  });
});
