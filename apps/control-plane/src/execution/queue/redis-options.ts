/** How to reach Redis, in the words of ioredis. */
export interface RedisAddress {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly db?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: Record<string, never>;
}

/**
 * Reads `redis://`, `rediss://`, `unix:///path` and `redis+socket:///path`, with `user:password@` and a database (`/3`, or
 * `?db=3` for sockets).
 * @throws {RangeError} with a sentence that does not repeat the URL: it may hold a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new RangeError('REDIS_URL is not a URL');
  const who = {
    ...(url.username ? { username: decodeURIComponent(url.username) } : {}),
    ...(url.password ? { password: decodeURIComponent(url.password) } : {}),
  };
  if (['unix:', 'redis+socket:', 'redis+unix:'].includes(url.protocol)) {
    if (url.host !== '' || url.pathname.length < 2)
      throw new RangeError('REDIS_URL needs an absolute socket path: unix:///path');
    return { path: decodeURIComponent(url.pathname), ...database(url.searchParams.get('db')), ...who };
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    throw new RangeError('REDIS_URL begins with redis://, rediss://, unix:// or redis+socket://');
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: url.port ? Number(url.port) : 6379,
    ...database(url.pathname.slice(1) || url.searchParams.get('db')),
    ...who,
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function database(text: string | null): { db?: number } {
  if (text === null || text === '') return {};
  if (!/^\d{1,5}$/.test(text)) throw new RangeError('the database in REDIS_URL is a number');
  return { db: Number(text) };
}
