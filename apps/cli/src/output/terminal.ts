import type { Writable } from 'node:stream';

/** Where text goes, and what may be done there. */
export interface Terminal {
  /** A person looks at it: lines may be rewritten. */
  readonly isTty: boolean;
  readonly colour: boolean;
  /** Columns; Infinity when it is no terminal (a file keeps whole lines). */
  columns(): number;
  write(text: string | Uint8Array): void;
}

export type Environment = Readonly<Record<string, string | undefined>>;

type Stream = Writable & { isTTY?: boolean; columns?: number };

/** Colours only on a terminal that understands them and when NO_COLOR (no-color.org) is not set. */
export function streamTerminal(stream: Stream, env: Environment): Terminal {
  const isTty = stream.isTTY === true;
  let closed = false;
  // `plumb run list | head -1` closes our stdout: nobody reads on, and that is no failure.
  stream.on('error', () => {
    closed = true;
  });
  return {
    isTty: isTty && env.TERM !== 'dumb',
    colour: isTty && env.TERM !== 'dumb' && !env.NO_COLOR,
    columns: () => (isTty ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    write: (text) => {
      if (!closed) stream.write(text);
    },
  };
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof CODES;

/** `text` in a style where the terminal shows colours, else as it is. */
export const styled = (terminal: Pick<Terminal, 'colour'>, style: Style | undefined, text: string): string =>
  terminal.colour && style !== undefined && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;

/** Text from elsewhere (a probe, a tool, a file) can carry escape sequences; a terminal must not obey them. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
