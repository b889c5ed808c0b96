import type { Command } from 'commander';
import type { ExitCode } from './failure.js';
import { type Environment, streamTerminal, type Terminal } from './output/terminal.js';

/** What a command may touch of the process it runs in. */
export interface Context {
  readonly env: Environment;
  readonly cwd: string;
  readonly out: Terminal;
  readonly err: Terminal;
  readStdin(): Promise<string>;
}

/** What a command gets: the process around it, and how to end with another code than 0 without an error. */
export interface CommandContext extends Context {
  endWith(code: ExitCode): void;
}
export type BuildCommand = (context: CommandContext) => Command;

export function processContext(): Context {
  return {
    env: process.env,
    cwd: process.cwd(),
    out: streamTerminal(process.stdout, process.env),
    err: streamTerminal(process.stderr, process.env),
    async readStdin() {
      let text = '';
      // Ends when whoever feeds us closes the pipe; at a terminal, with Ctrl-D.
      for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
      return text;
    },
  };
}
