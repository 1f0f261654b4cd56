import { existsSync, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { slowdown } from './test/harness/slowdown.ts';

// Workers, and the programs that tests start, compile a module once for all of them.
// oxlint-disable-next-line node/no-process-env -- Node takes it from nowhere else.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/strongroom-compile-cache', import.meta.url),
);

// Temporary files, above all the data of PostgreSQL, are kept in memory if the system has a folder of sufficient size
// for it. Every test file gets its own database, and copying one in memory takes a fraction of the time.
const memory = '/dev/shm';
const memoryBytesMin = 8 * 1024 ** 3;
// oxlint-disable-next-line node/no-process-env -- Node takes the folder for temporary files from nowhere else.
if (isRoomy(memory)) process.env['TMPDIR'] ??= memory;

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= memoryBytesMin;
}

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
