import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['clients/**/*.test.ts', 'api/**/*.test.ts', 'compatibility/**/*.test.ts'],
    globalSetup: ['harness/global-setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
