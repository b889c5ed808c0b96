import type { Command } from 'commander';
import { z } from 'zod';
import { Failure, sentenceOf } from '../failure.js';

export const Named = z.object({ name: z.string(), json: z.boolean().default(false) });
export const named = (command: Command): Command => command.option('--name <name>', 'which lab', 'lab');

/** The lab's own sentences say what to do. */
export async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === 'LabError') throw new Failure(sentence(error), { cause: error });
    throw error;
  }
}

export const sentence = (error: unknown): string => {
  const text = sentenceOf(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
};
