/**
 * 200 drawn faults in the lab, diagnosed through the API: at least 95 % right, the rest not told rather than wrong, with the table
 * of what was said instead. PLUMBLINE_DRAWS, PLUMBLINE_SEED, PLUMBLINE_FAMILY and PLUMBLINE_LABS take a slice.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'lab',
    '--retry',
    '0',
    'apps/cli/test/scenarios/draws.lab.test.ts',
  ],
  { cwd: root, stdio: 'inherit', env: { PLUMBLINE_DRAWS: '200', ...process.env } },
);
process.exitCode = status ?? 1;
