import { CommanderError } from 'commander';
import type { Context } from './context.js';
import { EXIT, type ExitCode, Failure } from './failure.js';
import { writeFailure } from './output/failure-text.js';
import { buildProgram } from './program.js';

/** Runs one command line. Never throws: whatever happens becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], context: Context): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const endWith = (wanted: ExitCode): void => {
    code = wanted;
  };
  try {
    const program = await buildProgram(argv, { ...context, endWith });
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has written its own message; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    writeFailure(error, context.err, context.env);
    return error instanceof Failure ? error.exitCode : EXIT.failed;
  }
}
