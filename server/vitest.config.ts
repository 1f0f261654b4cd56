import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { slowdown } from './test/harness/slowdown.ts';

// Workers, and the programs that tests start, compile a module once for all of them.
// oxlint-disable-next-line node/no-process-env -- Node takes it from nowhere else.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/strongroom-compile-cache', import.meta.url),
);

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/sensitive-equality.ts'],
    pool: 'forks',
    // A worker imports the product once and then runs one file after the other. So a test file ends what it has begun: a
    // promise that is rejected after its end fails the file that runs then.
    isolate: false,
    // Node runs TypeScript itself; nothing has to be transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Much of a test is waiting for another process or for a time limit: a third worker keeps both processors of a small
    // machine at work meanwhile.
    maxWorkers: 3,
    // Generous, in the one place for it: a test waits on conditions, so that only one that hangs meets a limit.
    testTimeout: 300_000 * slowdown,
    hookTimeout: 300_000 * slowdown,
    expect: { poll: { timeout: 120_000 * slowdown } },
  },
});
