import { expect, test } from 'vitest';
import { LabError } from '../src/lab-error.js';
import { parsePathFlags } from '../src/path-flags.js';
import { settlePath } from '../src/topology.js';

test('no flags make the seed path', () => {
  expect(settlePath(parsePathFlags({}))).toEqual(settlePath({}));
});

test('each link by itself', () => {
  const flags = {
    rate1: '1G',
    delay1: '1ms',
    rate2: '50M',
    delay2: '10ms',
    queue: '300KB',
    loss2: '0.1%',
    mtu: '9000',
    seed: '7',
  };
  const { links, mtuBytes, seed } = settlePath(parsePathFlags(flags));
  expect(links[0].ab).toEqual({ rateBps: 1e9, delayMs: 1, queueBytes: 300_000, lossRatio: 0 });
  expect(links[1].ba).toEqual({ rateBps: 50e6, delayMs: 10, queueBytes: 300_000, lossRatio: 0.001 });
  expect([mtuBytes, seed]).toEqual([9000, 7]);
});

test('one rate and one round-trip time', () => {
  const { links } = settlePath(parsePathFlags({ rate: '200M', rtt: '18ms', queue: '450KB', loss2: '1%' }));
  expect(links[1].ab).toEqual({ rateBps: 200e6, delayMs: 9, queueBytes: 450_000, lossRatio: 0.01 });
  expect(links[0].ab.lossRatio).toBe(0);
});

test.each([
  [{ rate: '200M' }, /--rate and --rtt belong together/],
  [{ rtt: '18ms' }, /--rate and --rtt belong together/],
  [{ rate: '200M', rtt: '18ms', delay2: '5ms' }, /--delay2 describes one link/],
  [{ rate1: 'fast' }, /--rate1: 'fast' is not a rate/],
  [{ queue: '150K' }, /--queue: '150K' needs a unit of size/],
  [{ loss2: '5' }, /--loss2: '5' is more than everything/],
])('%j is refused with the flag at fault', (flags, sentence) => {
  expect(() => parsePathFlags(flags)).toThrow(LabError);
  expect(() => parsePathFlags(flags)).toThrow(sentence);
});
