import type { Terminal } from './terminal.js';

/** JSON for programs: two spaces, one newline at the end. */
export const printJson = (terminal: Pick<Terminal, 'write'>, value: unknown): void =>
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
