import { LeaseLost } from '../leg/lease.js';
import { TIMING } from '../timing.js';
import type { LiveBatch } from './live-samples.js';

/** Stores live samples in batches, one after another, off the path of the test. What fails to be stored live is kept for the end. */
export class LiveWriter {
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Batches that could not be stored. */
  readonly failed: LiveBatch[] = [];

  constructor(
    private readonly drain: () => LiveBatch | undefined,
    private readonly write: (batch: LiveBatch) => Promise<void>,
  ) {}

  /** Something came: it is stored within a quarter of a second. */
  touch(): void {
    if (this.timer || this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush();
    }, TIMING.flushMs);
  }

  /** Stores nothing more by itself. Ends when what was being written is written, which the lease bounds. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.writing;
  }

  private flush(): void {
    const batch = this.drain();
    if (!batch) return;
    this.writing = this.writing
      .then(() => this.write(batch))
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.failed.push(batch);
      });
  }
}
