import { expect, test } from 'vitest';
import { readConfiguration, readEndpoint, readPortRange } from './configuration.js';

const good = {
  name: 'lon-1',
  site: 'lon',
  listen: 'unix:/run/p.sock',
  endpoints: ['wan=192.0.2.1'],
  dataDir: '/var/lib/p',
};

test('reads what the command line says', () => {
  expect(readConfiguration({ ...good, endpoints: ['wan=192.0.2.1', 'v6=2001:db8::1@eth0'] })).toMatchObject({
    name: 'lon-1',
    ports: { low: 5300, high: 5999 },
    endpoints: [
      { name: 'wan', address: '192.0.2.1' },
      { name: 'v6', address: '2001:db8::1', interface: 'eth0' },
    ],
  });
  expect(readPortRange('6000-6100')).toEqual({ low: 6000, high: 6100 });
});

test.each([
  [{ name: '-rf' }, '--name'],
  [{ site: '' }, '--site'],
  [{ listen: 'unix:relative' }, '--listen'],
  [{ dataDir: '' }, '--data-dir'],
  [{ endpoints: [] }, '--endpoint is needed'],
  [{ endpoints: ['wan'] }, 'NAME=ADDRESS'],
  [{ endpoints: ['wan=0.0.0.0'] }, 'stands for no single host'],
  [{ endpoints: ['wan=::'] }, 'stands for no single host'],
  [{ endpoints: ['wan=224.0.0.1@eth0'] }, 'stands for no single host'],
  [{ endpoints: ['wan=example.org'] }, 'not a host name'],
  [{ endpoints: ['-w=192.0.2.1'] }, '--endpoint'],
  [{ endpoints: ['wan=192.0.2.1@-i'] }, 'interface name'],
  [{ endpoints: ['wan=192.0.2.1', 'wan=192.0.2.2'] }, 'twice'],
  [{ portRange: '80-90' }, '--port-range'],
  [{ portRange: '6000-6005' }, 'at least ten'],
  [{ portRange: '6000' }, 'LOW-HIGH'],
  [{ logLevel: 'loud' }, '--log-level'],
])('%j is refused with a sentence that names the option', (part, words) => {
  expect(() => readConfiguration({ ...good, ...part })).toThrow(words);
});

test('an address with a zone or a port is no address', () => {
  for (const text of ['a=fe80::1%eth0', 'a=192.0.2.1:5201', 'a='])
    expect(() => readEndpoint(text)).toThrow('--endpoint');
});
