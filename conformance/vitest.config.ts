import { defineConfig } from 'vitest/config';

/** The makers' suites run only if their source is available. */
const sources = ['CONFORMANCE_NODE_SDK_SOURCE', 'CONFORMANCE_PYTHON_SDK_SOURCE'];
const makers = sources.some((variable) => process.env[variable] !== undefined) ? ['makers/**/*.test.ts'] : [];

export default defineConfig({
  test: {
    include: [
      'clients/**/*.test.ts',
      'api/**/*.test.ts',
      'elements/**/*.test.ts',
      'compatibility/**/*.test.ts',
      ...makers,
    ],
    globalSetup: ['harness/global-setup.ts'],
    pool: 'forks',
    // Importing the clients takes longer than most test files, so modules are shared. While one file waits for a limit
    // to expire, others can run.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A browser on a busy machine may take a long time to show a result.
    expect: { poll: { timeout: 15_000 } },
  },
});
