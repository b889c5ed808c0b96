import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './redis-options.js';

describe('REDIS_URL', () => {
  it.each([
    ['redis://127.0.0.1:6390', { host: '127.0.0.1', port: 6390 }],
    [
      'redis://user:p%40ss@redis.example/3',
      { host: 'redis.example', port: 6379, db: 3, username: 'user', password: 'p@ss' },
    ],
    ['rediss://redis.example', { host: 'redis.example', port: 6379, tls: {} }],
    ['redis://[::1]:6379', { host: '::1', port: 6379 }],
    ['unix:///run/redis.sock', { path: '/run/redis.sock' }],
    ['unix:///run/a%20b/redis.sock?db=2', { path: '/run/a b/redis.sock', db: 2 }],
    ['redis+socket:///run/redis.sock', { path: '/run/redis.sock' }],
  ])('reads %s', (text, address) => {
    expect(parseRedisUrl(text)).toEqual(address);
  });

  it.each(['nonsense', 'http://a', 'unix://relative', 'unix:///', 'redis://a/b', 'redis://u:secret@a/b'])(
    'refuses %s without repeating it',
    (text) => {
      expect(() => parseRedisUrl(text)).toThrow(RangeError);
      try {
        parseRedisUrl(text);
      } catch (error) {
        expect(String(error)).not.toContain('secret');
      }
    },
  );
});
