import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isConnectionFault } from './connection-fault.js';
import { PrismaClient } from './generated/client.js';
import { Database, Settings, type Transaction } from './seams.js';

/** No statement and no transaction of the control plane lasts longer: a test never runs inside one. */
const STATEMENT_MS = 30_000;

/** The pool of Postgres connections, used through Prisma and, where bytes or speed ask for it, directly. */
@Injectable()
export class PostgresDatabase extends Database implements OnApplicationShutdown {
  readonly pool: pg.Pool;
  readonly client: PrismaClient;
  private readonly log = new Logger('Database');
  private closed = false;

  constructor(settings: Settings) {
    super();
    this.pool = new pg.Pool({
      connectionString: settings.databaseUrl,
      application_name: `plumbline ${settings.replica}`,
      max: 24,
      connectionTimeoutMillis: 5_000,
      statement_timeout: STATEMENT_MS,
      query_timeout: STATEMENT_MS + 5_000,
      idle_in_transaction_session_timeout: STATEMENT_MS,
      keepAlive: true,
    });
    // An idle connection that breaks is dropped from the pool; without a listener it would end the process.
    this.pool.on('error', () => undefined);
    this.client = new PrismaClient({
      adapter: new PrismaPg(this.pool, { onConnectionError: () => undefined }),
      transactionOptions: { maxWait: 5_000, timeout: STATEMENT_MS },
    });
  }

  /** @throws the last fault when Postgres stays away for longer than `forMs`; other errors at once. */
  async retrying<T>(what: string, work: (client: PrismaClient) => Promise<T>, forMs = 30_000): Promise<T> {
    const deadline = Date.now() + forMs;
    // Ends: at the first success, at an error that is not a connection fault, or when the deadline has passed.
    for (let tries = 0; ; tries++) {
      try {
        return await work(this.client);
      } catch (error) {
        const pauseMs = Math.min(50 * 2 ** Math.min(tries, 5), 1_000);
        if (this.closed || !isConnectionFault(error) || Date.now() + pauseMs > deadline) throw error;
        if (tries === 3) this.log.warn(`Postgres does not answer (${what}); trying again for ${forMs / 1000} s`);
        await sleep(pauseMs);
      }
    }
  }

  /**
   * One transaction, tried again when the connection breaks. It may have committed all the same, so `work` must find out
   * by itself that it was done already.
   */
  transaction<T>(what: string, work: (client: Transaction) => Promise<T>, forMs?: number): Promise<T> {
    return this.retrying(what, (client) => client.$transaction(work), forMs);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.client.$disconnect();
    // Ends: queries still out are cut off by their own timeouts; one more second is given here.
    await Promise.race([this.pool.end(), sleep(1_000, undefined, { ref: false })]);
  }
}
