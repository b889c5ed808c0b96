import { Failure, sentenceOf } from '../failure.js';
import { type Environment, printable, styled, type Terminal } from './terminal.js';

/** Writes what went wrong, and what to type next. Stacks only with PLUMBLINE_DEBUG. */
export function writeFailure(error: unknown, err: Terminal, env: Environment): void {
  const name = styled(err, 'red', 'plumb:');
  const debug = Boolean(env.PLUMBLINE_DEBUG);
  const stack = (e: unknown): void => {
    if (debug && e instanceof Error) err.write(`${printable(e.stack ?? '')}\n`);
  };
  if (!(error instanceof Failure)) {
    err.write(`${name} something went wrong that should not: ${printable(sentenceOf(error))}\n`);
    stack(error);
    if (!debug) err.write('  Set PLUMBLINE_DEBUG=1 and type it again to see where.\n');
    return;
  }
  err.write(`${name} ${printable(error.message)}\n`);
  for (const line of error.lines) err.write(`  ${printable(line)}\n`);
  stack(error.cause);
  if (error.next !== undefined) err.write(`  ${styled(err, 'bold', 'Next:')} ${printable(error.next)}\n`);
}
