import type { CommandContext } from '../context.js';
import { removeLeftLab } from '../demo/left-lab.js';
import { EXIT, type ExitCode, Failure, sentenceOf } from '../failure.js';
import { styled } from '../output/terminal.js';
import { onInterruption, untilAborted } from './interruption.js';
import { type Stack, type StackOptions, startStack } from './stack.js';

export interface ServeOptions {
  readonly demo: boolean;
  /** End after the demonstration. */
  readonly once: boolean;
}

/**
 * Starts the stack, says so, runs the demonstration if asked for, and serves until a signal, the parent's death, or the
 * loss of a server. Everything is stopped when it returns.
 * @throws {Failure} when the stack cannot be started
 */
export async function serve(
  options: StackOptions,
  { demo, once }: ServeOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { out, err } = context;
  const report = (sentence: string): void => err.write(`${sentence}\n`);
  using interruption = onInterruption((why) => report(`Stopping (${why}); a second one ends it at once.`));
  const startedMs = performance.now();
  let stack: Stack;
  try {
    stack = await startStack(options, report, interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted && !(error instanceof Failure)) return once ? EXIT.interrupted : EXIT.ok;
    throw error;
  }
  try {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    out.write(
      `Plumbline serves at ${styled(out, 'bold', stack.url)} after ${seconds} s; the token is in ${stack.tokenFile}\n`,
    );
    return await whileServing(stack, { demo, once }, context, interruption.signal);
  } finally {
    await stack.stop();
  }
}

async function whileServing(
  stack: Stack,
  { demo, once }: ServeOptions,
  context: CommandContext,
  told: AbortSignal,
): Promise<ExitCode> {
  const lost = new AbortController();
  void stack.lost.then((sentence) => lost.abort(sentence));
  const end = AbortSignal.any([told, lost.signal]);
  const code = demo ? await withDemonstration(stack, once, context, end) : await servingOnly(stack, context, end);
  if (!lost.signal.aborted) return code;
  throw new Failure(`It cannot go on serving: ${sentenceOf(lost.signal.reason)}`, {
    next: `look into ${stack.dataDir}/log`,
  });
}

async function servingOnly(stack: Stack, { out, err }: CommandContext, end: AbortSignal): Promise<ExitCode> {
  out.write('Ctrl-C stops it.\n');
  await removeLeftLab(stack.dataDir).catch((error: unknown) =>
    err.write(`A lab that a killed demonstration left stays: ${sentenceOf(error)}\n`),
  );
  await untilAborted(end);
  return EXIT.ok;
}

async function withDemonstration(
  stack: Stack,
  once: boolean,
  context: CommandContext,
  end: AbortSignal,
): Promise<ExitCode> {
  const { demonstrate } = await import('../demo/demonstrate.js');
  const demonstration = await demonstrate(stack, context, end);
  try {
    if (once) return demonstration.succeeded ? EXIT.ok : end.aborted ? EXIT.interrupted : EXIT.failed;
    if (end.aborted) return EXIT.ok;
    context.out.write(`\n${demonstration.goOn}Plumbline goes on serving at ${stack.url}. Ctrl-C stops it.\n`);
    await untilAborted(end);
    return EXIT.ok;
  } finally {
    await demonstration
      .end()
      .catch((error: unknown) => context.err.write(`The demonstration was not cleaned up: ${sentenceOf(error)}\n`));
  }
}
