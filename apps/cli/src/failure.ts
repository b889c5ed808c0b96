/** What a shell sees. 130 is what a shell itself says of a program that Ctrl-C ended. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that the person at the keyboard can do something about: one sentence, and what to type next. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly next: string | undefined;
  /** The control plane's problem code, when it said one. */
  readonly code: string | undefined;
  readonly lines: readonly string[];
  readonly exitCode: ExitCode;

  constructor(
    sentence: string,
    options: { next?: string; code?: string; lines?: readonly string[]; exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.next = options.next;
    this.code = options.code;
    this.lines = options.lines ?? [];
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** The command line itself is wrong: exit code 2. */
export const usage = (sentence: string, next?: string): Failure =>
  new Failure(sentence, { exitCode: EXIT.usage, next });

/** The sentence of anything that was thrown. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
