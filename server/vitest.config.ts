import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/sensitive-equality.ts'],
    // A process for each file: what one leaves behind, such as a timer, cannot fail another.
    pool: 'forks',
    // Most of a test is waiting for another process, so both processors of a small machine are used.
    maxWorkers: 2,
    // Generous, in the one place for it: a test waits on conditions, so that only one that hangs meets a limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
