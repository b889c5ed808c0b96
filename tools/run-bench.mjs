#!/usr/bin/env node
// @ts-check
// Runs the benchmarks one after another: every apps/*/bench/*.bench.{ts,mjs} and libs/*/bench/*.bench.{ts,mjs} is a program that prints its figures beside a
// baseline of the same run and ends with another exit code than 0 when it misses them. Node runs TypeScript by itself
// (types are stripped), and imports what was built. node tools/run-bench.mjs [part of a file's name ...]
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Lifeline } from './bootstrap/lifeline.mjs';
import { innerEnvironment, root } from './bootstrap/places.mjs';
import { closingLine, exitCodeFor } from './gate/tally.mjs';

const BENCH_LONGEST_MS = 60 * 60_000;
const filters = process.argv.slice(2);
const rooms = ['apps', 'libs'].flatMap((side) =>
  readdirSync(join(root, side)).map((name) => join(root, side, name, 'bench')),
);
const files = rooms
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter(
    (file) =>
      /\.bench\.(ts|mjs)$/.test(file) && (filters.length === 0 || filters.some((filter) => file.includes(filter))),
  )
  .sort();

const life = new Lifeline();
const tally = { passed: 0, failed: 0, skipped: 0 };
for (const file of files) {
  if (life.stoppedBy !== undefined) break;
  console.log(`\n== ${relative(root, file)}`);
  const { code } = await life.run([process.execPath, file], {
    cwd: root,
    env: innerEnvironment(process.env),
    timeoutMs: BENCH_LONGEST_MS,
  });
  if (code === 0) tally.passed += 1;
  else tally.failed += 1;
}
life.dispose();
console.log(`\n${closingLine(tally)}`);
process.exitCode = exitCodeFor(tally, life.stoppedBy);
