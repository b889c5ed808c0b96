import { Injectable, Logger } from '@nestjs/common';
import { type Job, Queue, Worker } from 'bullmq';
import { z } from 'zod';
import { Settings } from '../../persistence/seams.js';
import { parseRedisUrl } from './redis-options.js';

export const QUEUE_NAME = 'legs';
const AdvanceJob = z.object({ legId: z.uuid() });

/** How many legs one process walks at once. A walk waits nearly all of its time. */
const CONCURRENCY = 64;
/** A job of a worker that died is handed out again after this and the interval of the check. */
const LOCK_MS = 5_000;
const STALLED_CHECK_MS = 1_000;
/** A queue that does not take jobs within this is away; the reconciler offers them again. */
const OFFER_MS = 1_000;

export interface OfferedLeg {
  readonly id: string;
  readonly fence: bigint;
}

/**
 * The BullMQ queue of jobs "advance leg L". Jobs may be lost with Redis or delivered any number of times: who walks a leg is
 * decided in Postgres, and legs without an owner are offered again and again.
 */
@Injectable()
export class AdvanceQueue {
  private readonly log = new Logger('Queue');
  private queue: Queue | undefined;
  private worker: Worker | undefined;
  private waiting = new Map<string, OfferedLeg>();
  private offering = false;
  private away = false;
  private policyProblem: string | undefined;

  constructor(private readonly settings: Settings) {}

  /** What is wrong with Redis, for logs and health; absent: nothing is known to be. */
  get problem(): string | undefined {
    return this.policyProblem ?? (this.away ? 'Redis does not answer; legs wait for it' : undefined);
  }

  /**
   * @param advance walks a leg as far as this process can; never throws
   * @param onReady Redis is there, or there again: whatever it should hold must be offered to it
   */
  start(advance: (legId: string) => Promise<void>, onReady: () => void): void {
    const address = parseRedisUrl(this.settings.redisUrl);
    const common = { ...address, skipVersionCheck: true, retryStrategy: () => 300, connectTimeout: 2_000 };
    this.queue = new Queue(QUEUE_NAME, {
      connection: { ...common, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      streams: { events: { maxLen: 100 } },
    });
    this.worker = new Worker(
      QUEUE_NAME,
      async (job: Job<unknown>) => {
        const parsed = AdvanceJob.safeParse(job.data);
        if (parsed.success) await advance(parsed.data.legId);
      },
      {
        connection: { ...common, maxRetriesPerRequest: null },
        concurrency: CONCURRENCY,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: 1_000_000,
        runRetryDelay: 300,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    // Without listeners a Redis that is away would end the process. Lost locks are no fault: ownership is in Postgres.
    this.queue.on('error', () => this.setAway(true));
    this.worker.on('error', () => undefined);
    this.worker.on('ready', () => {
      this.setAway(false);
      onReady();
    });
    void this.whenReady().then(() => this.checkPolicy());
  }

  /** Puts jobs into Redis in the background; what does not get there is offered again by the reconciler. */
  offer(legs: readonly OfferedLeg[]): void {
    for (const leg of legs) this.waiting.set(leg.id, leg);
    if (!this.offering && this.waiting.size > 0) void this.pour();
  }

  /**
   * Redis that evicts keys loses jobs and locks without a word (bullmq#1046): legs would still run, late and by luck.
   * @throws {Error} when Redis says so; a Redis that is away or does not tell is not refused
   */
  async refuseEviction(withinMs = 2_000): Promise<void> {
    await Promise.race([this.whenReady().then(() => this.checkPolicy()), expired(withinMs)]);
    if (this.policyProblem) throw new Error(this.policyProblem);
  }

  /** Stops taking jobs; does not wait longer than a moment for walks, which are told to stop by their leases. */
  async close(): Promise<void> {
    await Promise.race([this.worker?.close(), expired(1_500)]);
    await Promise.race([this.worker?.close(true), expired(500)]);
    await Promise.race([this.queue?.close(), expired(500)]);
  }

  private async pour(): Promise<void> {
    this.offering = true;
    // Ends: when everything that was offered has been handed over, or Redis does not take it.
    while (this.waiting.size > 0 && this.queue) {
      const legs = [...this.waiting.values()];
      this.waiting = new Map();
      const jobs = legs.map(({ id, fence }) => ({
        name: 'advance',
        data: { legId: id },
        opts: { jobId: `leg-${id}-${fence}` },
      }));
      try {
        const done = await Promise.race([this.queue.addBulk(jobs).then(() => true), expired(OFFER_MS)]);
        this.setAway(done !== true);
      } catch {
        this.setAway(true);
      }
      if (this.away) break;
    }
    this.offering = false;
  }

  private setAway(away: boolean): void {
    if (away && !this.away) this.log.warn('Redis does not answer; legs wait for it, nothing is lost');
    if (!away && this.away) this.log.log('Redis answers again');
    this.away = away;
  }

  private async whenReady(): Promise<void> {
    await this.queue?.waitUntilReady().catch(() => undefined);
  }

  private async checkPolicy(): Promise<void> {
    const client = await this.queue?.backend.client;
    const info = await Promise.race([client?.info().catch(() => undefined), expired(OFFER_MS)]);
    const policy = typeof info === 'string' ? /^maxmemory_policy:(\S+)/m.exec(info)?.[1] : undefined;
    const bad = policy !== undefined && policy !== 'noeviction';
    this.policyProblem = bad
      ? `Redis evicts keys (maxmemory-policy ${policy}) and so loses jobs. Set maxmemory-policy to noeviction.`
      : undefined;
    if (this.policyProblem) this.log.error(this.policyProblem);
  }
}

const expired = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
