import { defineConfig } from 'vitest/config';

const source = ['@plumbline/source'];
const shared = {
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source, externalConditions: source } },
};
/** Real probes on loopback, whose programs are killed and looked at: nothing else runs beside them. */
const alone = ['apps/cli/test/endings/*.integration.test.ts', 'apps/cli/test/{far-side,real-site}.integration.test.ts'];
const integration = {
  environment: 'node',
  retry: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const;
const slow = ['**/*.integration.test.ts', '**/*.lab.test.ts'];

/**
 * The tiers by file name: `x.test.ts` fast, `x.integration.test.ts` real servers, `x.lab.test.ts` emulated links (one at a time).
 * Projects of one tier begin with its name: `--project 'integration*'`.
 * What meets real programs on a noisy machine has a second try; the gate names each test that needed it, and bears few of them.
 */
export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'fast',
          include: ['{apps,libs,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', ...slow],
          environment: 'node',
          testTimeout: 20_000,
          // Half of the time goes by in tests of processes that wait.
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          name: 'integration',
          ...integration,
          globalSetup: ['apps/control-plane/test/empty-database.ts'],
          include: ['{apps,libs}/*/{src,test}/**/*.integration.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          // They mostly wait: for leases, timeouts and restarts.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          name: 'integration-alone',
          ...integration,
          include: alone,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...shared,
        test: {
          name: 'lab',
          globalSetup: ['apps/cli/test/one-product.ts'],
          include: ['{apps,libs}/*/{src,test}/**/*.lab.test.ts'],
          environment: 'node',
          retry: 1,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
