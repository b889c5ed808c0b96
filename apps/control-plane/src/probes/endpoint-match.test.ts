import { describe, expect, test } from 'vitest';
import { matchEndpoints } from './endpoint-match.js';

const own = [
  { name: 'v4', address: '192.0.2.1', interface: 'eth1' },
  { name: 'v6', address: '2001:db8::1' },
];

describe("endpoints against the probe's own", () => {
  test('are the same however IPv6 is written, and come with what only the probe knows', () => {
    const asked = [
      { name: 'v6', address: '2001:0DB8:0:0::0001' },
      { name: 'v4', address: '192.0.2.1' },
    ];
    expect(matchEndpoints(asked, own)).toEqual({ endpoints: [own[1], own[0]], errors: [] });
  });

  test.each([
    [{ name: 'v4', address: '192.0.2.2' }, '/endpoints/0/address'],
    [{ name: 'v6', address: '2001:db8::2' }, '/endpoints/0/address'],
    [{ name: 'v5', address: '192.0.2.1' }, '/endpoints/0/name'],
    [{ name: 'v4', address: '192.0.2.1', interface: 'eth0' }, '/endpoints/0/interface'],
    [{ name: 'v6', address: '2001:db8::1', interface: 'eth0' }, '/endpoints/0/interface'],
  ])('differ in %j', (endpoint, pointer) => {
    expect(matchEndpoints([endpoint], own).errors.map((e) => e.pointer)).toEqual([pointer]);
  });
});
