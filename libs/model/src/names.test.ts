import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InterfaceName, IpAddress, Name, ProbeAddress, parseProbeAddress } from './names.js';

describe('what reaches an argv', () => {
  test.each(['-x', '--help', '', '.', '..', '../x', 'a/b', 'a b', 'a\nb', 'a\0', 'ä', 'x'.repeat(64)])(
    '%j is no name',
    (text) => {
      expect(Name.safeParse(text).success).toBe(false);
    },
  );
  test.each(['-i', '', 'eth0;reboot', 'eth 0', 'a'.repeat(16), '$(id)'])('%j is no interface', (text) => {
    expect(InterfaceName.safeParse(text).success).toBe(false);
  });
  test.each(['eth0', 'wan0', 'bond0.100', 'veth@if3', 'enp0s31f6', 'eth0:1'])('%j is an interface', (text) => {
    expect(InterfaceName.parse(text)).toBe(text);
  });
  test.each([
    'localhost',
    '-1.2.3.4',
    '1.2.3',
    '256.1.1.1',
    '127.0.0.1 ',
    '0x7f.1',
    '01.2.3.4',
    'fe80::1%eth0',
    '::g',
    '',
  ])('%j is no address', (text) => {
    expect(IpAddress.safeParse(text).success).toBe(false);
  });
  test.each(['192.0.2.1', '2001:db8::1', '::1', '::ffff:192.0.2.1'])('%j is an address', (text) => {
    expect(IpAddress.parse(text)).toBe(text);
  });
  test('nothing accepted starts with a dash', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const schema of [Name, InterfaceName, IpAddress]) expect(schema.safeParse(`-${text}`).success).toBe(false);
      }),
    );
  });
});

describe('probe addresses', () => {
  test.each([
    ['probe.example:7430', { kind: 'tcp', host: 'probe.example', port: 7430 }],
    ['192.0.2.1:1', { kind: 'tcp', host: '192.0.2.1', port: 1 }],
    ['[2001:db8::1]:65535', { kind: 'tcp', host: '2001:db8::1', port: 65535 }],
    ['unix:/run/p.sock', { kind: 'unix', path: '/run/p.sock' }],
  ])('%s', (text, parsed) => {
    expect(ProbeAddress.parse(text)).toBe(text);
    expect(parseProbeAddress(text)).toEqual(parsed);
  });
  test.each([
    ['unix:p.sock', 'absolute'],
    ['unix:/a/../b', '..'],
    [`unix:/${'a'.repeat(107)}`, '107'],
    ['host', 'host:port'],
    [':7430', 'host:port'],
    ['-h:7430', 'host:port'],
    ['h:0', '1 to 65535'],
    ['h:65536', '1 to 65535'],
    ['h:7x', '1 to 65535'],
    ['http://h:1', 'host:port'],
  ])('%s is refused: %s', (text, says) => {
    expect(ProbeAddress.safeParse(text).error?.issues[0]?.message).toContain(says);
    expect(() => parseProbeAddress(text)).toThrow(RangeError);
  });
});
