import { defineConfig } from 'vitest/config';

/** The suites of the makers run only if their source is at hand. */
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
    // Importing the clients takes longer than most files; and while one file waits for a limit to end, others can go on.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A busy machine may take its time to show what a browser does.
    expect: { poll: { timeout: 15_000 } },
  },
});
