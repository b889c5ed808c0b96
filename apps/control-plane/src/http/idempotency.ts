import { Injectable } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import { z } from 'zod';
import type { Prisma } from '../persistence/generated/client.js';
import { Database, type Transaction } from '../persistence/seams.js';
import { canonicalHash } from './canonical.js';
import { invalid } from './refusals.js';

/** For how long an answer is repeated. */
const KEPT_MS = 24 * 3_600_000;
/** A first request that has not been answered after this died with its process. */
const ABANDONED_MS = 60_000;

const Key = z.string().regex(/^[\x21-\x7e]{1,255}$/, '1 to 255 visible ASCII characters');
const Stored = z.object({ status: z.int(), body: z.unknown(), headers: z.record(z.string(), z.string()) });

export interface Answer {
  readonly status: number;
  readonly body: Prisma.InputJsonObject;
  readonly headers: Readonly<Record<string, string>>;
}
export interface GivenAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly replayed: boolean;
}

/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): the same key with the same request gets the first answer again, for
 * a day; only answers that changed something are kept, so that a request that was refused can be mended and sent again.
 */
@Injectable()
export class Idempotency {
  constructor(private readonly database: Database) {}

  /**
   * Does the work once.
   * @param scope who and where: keys of two tokens or two routes never meet
   * @throws {ProblemError} idempotency-mismatch, idempotency-in-progress, or what the work throws
   */
  async once(
    key: string | undefined,
    scope: string,
    request: unknown,
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<GivenAnswer> {
    if (key === undefined) {
      const answer = await this.database.client.$transaction(work);
      return { ...answer, replayed: false };
    }
    const parsed = Key.safeParse(key);
    if (!parsed.success)
      throw invalid([{ detail: parsed.error.issues[0]?.message ?? 'not a key', pointer: '#/header/Idempotency-Key' }]);
    const id = { scope, key };
    const requestHash = canonicalHash(request);
    const earlier = await this.claim(id, requestHash);
    if (earlier) return earlier;
    return this.workAndKeep(id, work);
  }

  private async workAndKeep(
    id: { scope: string; key: string },
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<GivenAnswer> {
    try {
      return await this.database.client.$transaction(async (transaction) => {
        const answer = await work(transaction);
        const { status, body, headers } = answer;
        await transaction.idempotencyKey.update({
          where: { scope_key: id },
          data: { status, body, headers: { ...headers } },
        });
        return { ...answer, replayed: false };
      });
    } catch (error) {
      await this.database.client.idempotencyKey.deleteMany({ where: { ...id, status: null } }).catch(() => undefined);
      throw error;
    }
  }

  /** Takes the key for this request. @returns the first answer when there is one */
  private async claim(id: { scope: string; key: string }, requestHash: string): Promise<GivenAnswer | undefined> {
    const { idempotencyKey } = this.database.client;
    const now = Date.now();
    const abandoned = { status: null, createdAt: { lt: new Date(now - ABANDONED_MS) } };
    await idempotencyKey.deleteMany({ where: { OR: [{ expiresAt: { lt: new Date(now) } }, { ...id, ...abandoned }] } });
    const { count } = await idempotencyKey.createMany({
      data: { ...id, requestHash, expiresAt: new Date(now + KEPT_MS) },
      skipDuplicates: true,
    });
    if (count === 1) return undefined;
    const first = await idempotencyKey.findUnique({ where: { scope_key: id } });
    if (first && first.requestHash !== requestHash)
      throw new ProblemError('idempotency-mismatch', 'Use a new key for another request; keys are kept for 24 hours.');
    const stored = Stored.safeParse(first);
    if (!first || !stored.success)
      throw new ProblemError('idempotency-in-progress', 'Ask again in a moment.', undefined, { 'retry-after': '1' });
    return { ...stored.data, replayed: true };
  }
}
