import type { Path } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { LegPath } from '../persistence/leg-path.js';
import { legPathOf, mergeLinks } from './leg-path-of.js';

const probe = (name: string, site: string, address: string) => ({
  name,
  site,
  endpoints: [{ name: 'test', address, interface: 'eth1' }],
});
const probes = [
  probe('a', 'ber', '192.0.2.1'),
  probe('b', 'par', '192.0.2.2'),
  probe('c', 'ber', '192.0.2.3'),
  probe('six', 'ber', '2001:db8::1'),
];
const path = (from: string, to: string, more: Partial<Path> = {}): Path => ({
  name: 'p',
  source: { probe: from, endpoint: 'test' },
  destination: { probe: to, endpoint: 'test' },
  rateLayer: 'ip',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const links = new Map([
  ['ber', ['wan', { name: 'up', capacity: 8 }]],
  ['par', [{ name: 'wan', capacity: 4 }]],
]);

describe('what a leg keeps', () => {
  test('is the path, both ends with their addresses, and the links of path and sites', () => {
    const leg = legPathOf(path('a', 'b', { sharedLinks: [{ name: 'up', capacity: 2 }] }), probes, links);
    expect(leg).toEqual({
      path: expect.objectContaining({ name: 'p' }),
      source: { probe: 'a', endpoint: 'test', site: 'ber', address: '192.0.2.1', interface: 'eth1', name: 'test' },
      destination: { probe: 'b', endpoint: 'test', site: 'par', address: '192.0.2.2', interface: 'eth1', name: 'test' },
      sharedLinks: [
        { name: 'up', capacity: 2 },
        { name: 'wan', capacity: 1 },
      ],
    });
    expect(LegPath.safeParse(leg).success).toBe(true);
  });

  test('counts the links of one site once', () => {
    expect(legPathOf(path('a', 'c'), probes, links)).toMatchObject({
      sharedLinks: [
        { name: 'wan', capacity: 1 },
        { name: 'up', capacity: 8 },
      ],
    });
  });

  test.each([
    [path('x', 'b'), '/source/probe'],
    [path('a', 'x'), '/destination/probe'],
    [path('a', 'a'), '/destination/endpoint'],
    [path('a', 'six'), '/destination/endpoint'],
  ])('is nothing when an end does not fit', (bad, pointer) => {
    expect(legPathOf(bad, probes, links)).toEqual({ errors: [{ detail: expect.any(String), pointer }] });
  });

  test('a link named twice has its smallest capacity', () => {
    expect(
      mergeLinks([{ name: 'a', capacity: 3 }, { name: 'b', capacity: 2 }, { name: 'a', capacity: 5 }, 'b']),
    ).toEqual([
      { name: 'a', capacity: 3 },
      { name: 'b', capacity: 1 },
    ]);
  });
});
