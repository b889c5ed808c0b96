import { expect, test } from 'vitest';
import { labArgv, parseHost } from '../src/host.js';
import { LabError } from '../src/lab-error.js';
import { newState } from '../src/lab-state.js';
import { parseLink } from '../src/link.js';
import { pathOf, settlePath } from '../src/topology.js';

test('without options it is the seed path: 100 Mbit/s 2 ms, then 20 Mbit/s 20 ms, 150 KB queues', () => {
  const { links, mtuBytes } = settlePath({});
  expect(mtuBytes).toBe(1500);
  expect(links[0].ab).toEqual({ rateBps: 100e6, delayMs: 2, queueBytes: 150_000, lossRatio: 0 });
  expect(links[1].ba).toEqual({ rateBps: 20e6, delayMs: 20, queueBytes: 150_000, lossRatio: 0 });
});

test('a rate and a round-trip time go on link 2 alone', () => {
  const { links } = settlePath(pathOf(200e6, 18));
  expect(links[1].ab).toEqual({ rateBps: 200e6, delayMs: 9, queueBytes: 150_000, lossRatio: 0 });
  expect(links[1].ba).toEqual(links[1].ab);
  expect(links[0].ab.delayMs).toBe(0);
  expect(links[0].ab.rateBps).toBeGreaterThanOrEqual(10 * 200e6);
});

test('one direction may differ, and an undefined field changes nothing', () => {
  const { links } = settlePath({ link2: { rateBps: 50e6, delayMs: undefined, ba: { rateBps: 5e6, lossRatio: 0.01 } } });
  expect(links[1].ab).toEqual({ rateBps: 50e6, delayMs: 20, queueBytes: 150_000, lossRatio: 0 });
  expect(links[1].ba).toEqual({ rateBps: 5e6, delayMs: 20, queueBytes: 150_000, lossRatio: 0.01 });
});

test.each([
  [{ link1: { rateBps: 0 } }, /link1\.rateBps/],
  [{ link2: { ab: { lossRatio: 5 } } }, /link2\.ab\.lossRatio/],
  [{ mtuBytes: 9001 }, /mtuBytes/],
  [{ link2: { queueBytes: 1.5 } }, /link2\.queueBytes/],
])('%j is refused with the field at fault', (options, field) => {
  const settle = (): unknown => settlePath(options);
  expect(settle).toThrow(LabError);
  expect(settle).toThrow(field);
});

test('a state folder whose sockets would not fit is refused before anything is made', () => {
  const facts = { mode: 'owned', mtuBytes: 1500, links: [...settlePath({}).links] } as const;
  expect(() => newState('lab', { labsDir: `/tmp/${'x'.repeat(100)}` }, { ...facts, links: [...facts.links] })).toThrow(
    /bytes too long/,
  );
});

test('names, hosts and links from a command line are checked', () => {
  expect(labArgv('lab', 'client', ['ping', '-c', '1'])).toEqual('ip netns exec plumb-lab-client ping -c 1'.split(' '));
  expect(() => labArgv('lab', 'client', ['-rf'])).toThrow(/not a program/);
  expect(() => labArgv('../x', 'client', ['ls'])).toThrow(LabError);
  expect(() => parseHost('moon')).toThrow(/client, router, server/);
  expect(parseLink('link2')).toBe(2);
  expect(() => parseLink('3')).toThrow(/no link/);
});
