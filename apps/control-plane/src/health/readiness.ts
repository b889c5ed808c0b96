import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { AdminToken } from '../access/admin-token.js';
import { parseRedisUrl } from '../execution/queue/redis-options.js';
import { within } from '../http/deadline.js';
import { sqlState } from '../persistence/connection-fault.js';
import { Database, Settings } from '../persistence/seams.js';
import { EXPECTED_MIGRATIONS } from './expected-migrations.js';

/** What must be there; absent: it is. */
export type Missing = Partial<Record<'postgres' | 'migrations' | 'redis' | 'admin-token', string>>;

/** A probe of readiness must answer while what it asks about hangs. */
const LONGEST_MS = 2_000;

@Injectable()
export class Readiness implements OnApplicationShutdown {
  private readonly redis: Redis;

  constructor(
    settings: Settings,
    private readonly database: Database,
    private readonly adminToken: AdminToken,
  ) {
    this.redis = new Redis({
      ...parseRedisUrl(settings.redisUrl),
      lazyConnect: true,
      connectTimeout: LONGEST_MS,
      commandTimeout: LONGEST_MS,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: true,
      retryStrategy: () => 200,
    });
    // Without a listener a Redis that is away would be an unhandled error; ping() says the same where it is asked.
    this.redis.on('error', () => undefined);
  }

  async missing(): Promise<Missing> {
    const [database, redis] = await Promise.all([this.postgresLacks(), this.redisLacks()]);
    const token =
      database.postgres || this.adminToken.known
        ? {}
        : { 'admin-token': 'The database is being told the admin token.' };
    return { ...database, ...redis, ...token };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private async postgresLacks(): Promise<Missing> {
    try {
      const applied = await within(
        LONGEST_MS,
        this.database.client.$queryRaw<{ name: string }[]>`
        SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      );
      const names = new Set(applied.map((row) => row.name));
      const lacking = EXPECTED_MIGRATIONS.filter((name) => !names.has(name));
      return lacking.length === 0
        ? {}
        : { migrations: `Not applied: ${lacking.join(', ')}. Run prisma migrate deploy.` };
    } catch (error) {
      return sqlState(error) === '42P01'
        ? { migrations: 'The database is empty. Run prisma migrate deploy.' }
        : { postgres: 'Postgres does not answer. Is it running, and is DATABASE_URL right?' };
    }
  }

  private async redisLacks(): Promise<Missing> {
    try {
      await within(LONGEST_MS, this.redis.ping());
      return {};
    } catch {
      return { redis: 'Redis does not answer. Is it running, and is REDIS_URL right?' };
    }
  }
}
