import type { PostgresDatabase } from '../../persistence/postgres-database.js';
import type { Transaction } from '../../persistence/seams.js';

/** This process does not own the leg any more: whatever it still wanted to write is not its business. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The right to walk one leg: which taking of it this is, and everything that is written under it. */
export class Lease {
  private readonly ending = new AbortController();
  private readonly cancelling = new AbortController();
  /** Aborted when the leg was lost to another owner, or this process shuts down: stop, and write nothing more. */
  readonly over: AbortSignal = this.ending.signal;
  /** Aborted when somebody cancelled the run. */
  readonly cancelled: AbortSignal = this.cancelling.signal;

  constructor(
    private readonly database: PostgresDatabase,
    readonly legId: string,
    readonly runId: string,
    readonly fence: bigint,
    private readonly owner: string,
    readonly epoch: number,
  ) {}

  /**
   * One transaction that only the owner of this taking can make: a paused former owner changes nothing. Locks the leg
   * first, so that all writes of a leg come one after another and in one order of locks.
   * @throws {LeaseLost}
   */
  async write<T>(what: string, work: (client: Transaction) => Promise<T>): Promise<T> {
    if (this.over.aborted) throw new LeaseLost(this.legId);
    return this.database.transaction(
      what,
      async (client) => {
        const mine = await client.$queryRaw<unknown[]>`
          SELECT 1 FROM leg WHERE id = ${this.legId}::uuid AND owner = ${this.owner} AND owner_epoch = ${this.epoch}
          FOR NO KEY UPDATE`;
        if (mine.length === 0) {
          this.end();
          throw new LeaseLost(this.legId);
        }
        return work(client);
      },
      60_000,
    );
  }

  end(): void {
    this.ending.abort();
  }

  cancel(): void {
    this.cancelling.abort();
  }
}
