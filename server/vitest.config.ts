import { defineConfig } from 'vitest/config';

/** They measure the memory of their own process, or load a library that keeps its settings for as long as the process lives. */
const alone = [
  'test/fuzz/fuzz.test.ts',
  'test/guarantees/hostile-destinations.test.ts',
  'test/guarantees/root-key-move.test.ts',
  'src/platform/keyring/kms/pkcs11-*.test.ts',
];

/** Limits are generous, in the one place for it: a test waits on conditions, so that only one that hangs meets them. */
const common = {
  setupFiles: ['test/sensitive-equality.ts'],
  pool: 'forks' as const,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // Most of a test is waiting for another process, so both processors of a small machine are used.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: alone,
          // Importing the vault takes longer than most files: once for each worker is enough.
          isolate: false,
          ...common,
        },
      },
      { test: { name: 'alone', include: alone, ...common } },
    ],
  },
});
