import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../context.js';
import { sentenceOf, usage } from '../failure.js';

/** The JSON of a file, or of stdin for `-`. @throws {Failure} usage, saying where the text stops being JSON */
export async function jsonFile(file: string, context: Pick<Context, 'cwd' | 'readStdin'>): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file;
  const text =
    file === '-'
      ? await context.readStdin()
      : await readFile(resolve(context.cwd, file), 'utf8').catch((error: unknown) => {
          throw usage(`${name} cannot be read: ${sentenceOf(error)}.`);
        });
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usage(`${name} is not JSON: ${sentenceOf(error)}.`);
  }
}
