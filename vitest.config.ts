import { defineConfig } from 'vitest/config';

const source = ['@plumbline/source'];
const shared = {
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source, externalConditions: source } },
};
const slow = ['**/*.integration.test.ts', '**/*.lab.test.ts'];

/**
 * The tiers by file name: `x.test.ts` fast, `x.integration.test.ts` real servers, `x.lab.test.ts` emulated links (one at a time).
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
        },
      },
      {
        ...shared,
        test: {
          name: 'integration',
          include: ['{apps,libs}/*/{src,test}/**/*.integration.test.ts'],
          environment: 'node',
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
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
        },
      },
    ],
  },
});
