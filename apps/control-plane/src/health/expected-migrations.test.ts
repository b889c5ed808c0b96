import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXPECTED_MIGRATIONS } from './expected-migrations.js';

test('the migrations that readiness asks for are those of prisma/migrations', () => {
  const folder = new URL('../../../../prisma/migrations', import.meta.url);
  const made = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...EXPECTED_MIGRATIONS]).toEqual(made.map((entry) => entry.name).sort());
});
