import { appendFileSync, renameSync, statSync } from 'node:fs';

/** Bytes at which a log starts anew; with the older half at most twice this lies on disk. */
const LONGEST_LOG_BYTES = 4 * 1024 * 1024;
const LAST_BYTES = 2000;

/** A log file (mode 0600) that never grows for ever: at its longest it becomes `<file>.1`, whose bytes are given up. */
export class BoundedLog {
  #sizeBytes: number;
  #last = '';

  constructor(
    readonly file: string,
    private readonly longestBytes = LONGEST_LOG_BYTES,
  ) {
    this.#sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Never throws: a full disk must not end the server whose words these are. */
  append(chunk: Buffer): void {
    this.#last = (this.#last + chunk.toString('utf8')).slice(-LAST_BYTES);
    try {
      if (this.#sizeBytes > 0 && this.#sizeBytes + chunk.length > this.longestBytes) {
        renameSync(this.file, `${this.file}.1`);
        this.#sizeBytes = 0;
      }
      appendFileSync(this.file, chunk, { mode: 0o600 });
      this.#sizeBytes += chunk.length;
    } catch {
      // The words are still in `lastLines`.
    }
  }

  /** The newest lines of this life, for an error's sentence. */
  lastLines(count: number): string {
    return this.#last.trim().split('\n').slice(-count).join(' | ');
  }
}
