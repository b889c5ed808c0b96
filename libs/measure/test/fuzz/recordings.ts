import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Recording } from '../../src/test-support/reading.js';

const tools = new URL('../../src/tools/', import.meta.url);
const Program = z.object({
  argv: z.array(z.string()),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});
const Phases = z.object({
  source: z.string(),
  phases: z.array(Program.extend({ end: z.enum(['near', 'far']), name: z.string(), tool: z.string() })),
});
/** How the recordings of iperf3's TCP tests are kept. */
const Ends = z
  .object({ source: z.string(), near: Program, far: Program.optional() })
  .transform(({ source, near, far }): Recording => {
    const server = far ? [{ end: 'far' as const, name: 'server', tool: 'iperf3', ...far }] : [];
    return { source, phases: [{ end: 'near', name: 'test', tool: 'iperf3', ...near }, ...server] };
  });

/** Every recording of a folder below `tools`, by its file's name. */
export function recordingsIn(folder: string): ReadonlyMap<string, Recording> {
  const url = new URL(`${folder}/`, tools);
  const files = readdirSync(url).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [name, z.union([Phases, Ends]).parse(JSON.parse(readFileSync(new URL(name, url), 'utf8')))]),
  );
}

/** Plain files of a folder, byte for byte as latin1 text. */
export const textsIn = (folder: string, ending: string): string[] => {
  const url = new URL(`${folder}/`, tools);
  const files = readdirSync(url).filter((name) => name.endsWith(ending));
  return files.map((name) => readFileSync(new URL(name, url), 'latin1'));
};

/** The word after a flag in the argv of a recording's program. */
export function optionIn({ phases }: Recording, phase: string, flag: string): string | undefined {
  const argv = phases.find(({ name }) => name === phase)?.argv ?? [];
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}
