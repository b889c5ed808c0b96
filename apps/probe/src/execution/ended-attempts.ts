import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { type Ending, ended, Reason } from '@plumbline/model';
import { z } from 'zod';
import { writeDurably } from '../durable.js';

const Line = z.object({ id: z.string(), reason: Reason, detail: z.string().optional(), at: z.number() });
type Line = z.output<typeof Line>;

const KEEP_MS = 7 * 86_400_000;
const KEEP_COUNT = 20_000;

/** Ids that must never start (again): stopped before they came, or acknowledged. On disk, so that a restart changes nothing. */
export class EndedAttempts {
  readonly #lines = new Map<string, Line>();

  constructor(
    private readonly file: string,
    private readonly now: () => number = Date.now,
  ) {
    const texts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    const lines = texts.flatMap((text) => readLine(text) ?? []).filter((line) => line.at > now() - KEEP_MS);
    for (const line of lines.slice(-KEEP_COUNT)) this.#lines.set(line.id, line);
    if (this.#lines.size < texts.length - 1) this.#rewrite();
  }

  /** How an attempt with that id ends at once; undefined: it may start. */
  find(id: string): Ending | undefined {
    const line = this.#lines.get(id);
    return line && ended(line.reason, line.detail);
  }

  /** On disk when this returns. */
  remember(id: string, reason: Reason, detail?: string): void {
    const line = { id, reason, detail, at: this.now() };
    this.#lines.set(id, line);
    appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    const descriptor = openSync(this.file, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    if (this.#lines.size > 2 * KEEP_COUNT) this.#rewrite();
  }

  #rewrite(): void {
    for (const id of [...this.#lines.keys()].slice(0, -KEEP_COUNT)) this.#lines.delete(id);
    writeDurably(this.file, [...this.#lines.values()].map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

/** A line that a crash cut is no line. */
function readLine(text: string): Line | undefined {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
