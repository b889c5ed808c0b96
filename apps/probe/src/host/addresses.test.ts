import { describe, expect, it, test } from 'vitest';
import { endpointWarning, hostAddresses, isNeverAnEndpoint } from './addresses.js';

test.each([
  ['0.0.0.0', true],
  ['0.1.2.3', true],
  ['224.0.0.1', true],
  ['239.255.255.250', true],
  ['255.255.255.255', true],
  ['::', true],
  ['0:0:0:0:0:0:0:0', true],
  ['ff02::1', true],
  ['10.0.0.0', false],
  ['127.0.0.2', false],
  ['::1', false],
  ['2001:db8::1', false],
])('%s can never be an endpoint: %s', (address, never) => expect(isNeverAnEndpoint(address)).toBe(never));

describe('an endpoint on a host as it is now', () => {
  const has = {
    byInterface: { lo: ['127.0.0.1', '::1'], eth0: ['10.0.0.5', '2001:db8::5'] },
    interfaces: ['lo', 'eth0', 'eth1'],
  };
  it.each([
    [{ address: '10.0.0.5' }, undefined],
    [{ address: '10.0.0.5', interface: 'eth0' }, undefined],
    [{ address: '2001:DB8:0::5', interface: 'eth0' }, undefined],
    [{ address: '127.0.0.2' }, undefined],
    [{ address: '10.0.0.6' }, 'no address 10.0.0.6'],
    [{ address: '10.0.0.5', interface: 'nosuch0' }, 'no interface nosuch0'],
    [{ address: '10.0.0.5', interface: 'eth1' }, 'is on eth0, not on eth1'],
  ])('%j: %s', (endpoint, words) => {
    const warning = endpointWarning({ name: 'lan', ...endpoint }, has);
    if (words === undefined) expect(warning).toBeUndefined();
    else expect(warning).toMatch(new RegExp(`^Endpoint lan: .*${words}.* see ip address`));
  });
  it('is read from the host itself', () => {
    expect(hostAddresses().interfaces).toContain('lo');
  });
});
