import { describe, expect, test } from 'vitest';
import { isLoopback, optionsFrom, StartSettings } from './settings.js';

const options = { databaseUrl: 'postgresql://x', redisUrl: 'redis://x', dataDir: 'd', port: 0 };

describe('where it may listen', () => {
  test.each(['127.0.0.1', '127.8.9.1', '::1', 'localhost'])('%s needs nothing', (host) => {
    expect(new StartSettings({ ...options, host }).host).toBe(host);
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '::',
    '192.0.2.1',
    'example.org',
    '127.0.0.1.example.org',
    'localhost.example.org',
    '1270.0.0.1',
  ])('%s needs TLS or a proxy', (host) => {
    expect(() => new StartSettings({ ...options, host })).toThrow(/--tls-cert, --tls-key.*--behind-proxy/);
    expect(new StartSettings({ ...options, host, behindProxy: true }).behindProxy).toBe(true);
    expect(new StartSettings({ ...options, host, tls: { cert: 'c', key: 'k' } }).tls?.certFile).toMatch(/\/c$/);
  });

  test('no two processes are the same replica', () => {
    const made = () => new StartSettings({ ...options, host: '::1' }).replica;
    expect(made()).not.toBe(made());
  });
});

describe('the environment', () => {
  const environment = { DATABASE_URL: 'postgresql://x', REDIS_URL: 'redis://x' };

  test('has defaults that serve on loopback', () => {
    expect(optionsFrom(environment)).toMatchObject({
      host: '127.0.0.1',
      port: 7420,
      behindProxy: false,
      logLevel: 'info',
    });
  });

  test.each([
    [{}, /DATABASE_URL/],
    [{ ...environment, PLUMBLINE_PORT: '70000' }, /PLUMBLINE_PORT/],
    [{ ...environment, PLUMBLINE_BEHIND_PROXY: 'maybe' }, /PLUMBLINE_BEHIND_PROXY/],
    [{ ...environment, PLUMBLINE_TLS_CERT: 'c' }, /go together/],
  ])('%j is refused by name', (bad, message) => {
    expect(() => optionsFrom(bad)).toThrow(message);
  });
});
