import { cut } from './table.js';
import { printable, type Terminal } from './terminal.js';

/** What a line of progress may say again, at the soonest, where lines cannot be rewritten: a log is not to be flooded. */
const PLAIN_EVERY_MS = 2000;

/**
 * One line that is rewritten on a terminal; elsewhere plain lines, a new heading at once and news of the same heading
 * every two seconds.
 */
export class ProgressLine {
  #shown = '';
  #heading = '';
  #plainAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly terminal: Terminal,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @param heading what is going on, @param news numbers that change while it goes on */
  update(heading: string, news = ''): void {
    const text = printable(news === '' ? heading : `${heading}  ${news}`);
    if (this.terminal.isTty) {
      const line = cut(text, Math.max(this.terminal.columns() - 1, 1));
      if (line !== this.#shown) this.terminal.write(`\r\x1b[2K${line}`);
      this.#shown = line;
      return;
    }
    const now = this.nowMs();
    if (heading === this.#heading && now - this.#plainAtMs < PLAIN_EVERY_MS) return;
    this.#heading = heading;
    this.#plainAtMs = now;
    if (text !== this.#shown) this.terminal.write(`${text}\n`);
    this.#shown = text;
  }

  /** Takes the line away, so that what is printed next starts at the left. */
  clear(): void {
    if (this.terminal.isTty && this.#shown !== '') this.terminal.write('\r\x1b[2K');
    this.#shown = '';
    this.#heading = '';
  }
}
