import type { RunDocument } from '@plumbline/testing';
import { z } from 'zod';
import type { SeedPath } from './seed-path.js';

/** What tests read of the first step of a run. */
export const metricsOf = (run: RunDocument) => run.legs[0]?.steps[0]?.metrics ?? [];

/** @throws {Error} when there is none */
export function attemptOf(run: RunDocument, n = 0) {
  const attempt = run.legs[0]?.steps[0]?.attempts[n];
  if (!attempt) throw new Error(`no attempt ${n}`);
  return attempt;
}

/** The notes of an attempt, one a line. */
export const notesOf = (run: RunDocument, n = 0): string =>
  z
    .object({ notes: z.array(z.string()) })
    .parse(attemptOf(run, n))
    .notes.join('\n');

/** A metric of one direction. */
export const way = (run: RunDocument, name: string, direction: 'forward' | 'reverse') =>
  metricsOf(run).find((m) => m.name === name && m.labels?.direction === direction)?.value;

/** The router's addresses on the client's and on the server's side. */
export const [NEAR_ROUTER, FAR_ROUTER] = ['192.0.2.2', '192.0.2.65'];

/** Adds or takes back a rule of the router, such as one that drops what a filter would (ip-rule(8)). */
export const routerRule = (seed: SeedPath, what: 'add' | 'del', ...words: string[]) =>
  seed.exec('router', ['ip', 'rule', what, 'pref', '10', ...words]);
