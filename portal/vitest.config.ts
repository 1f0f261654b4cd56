import { defineConfig } from 'vitest/config';

// What the pages compute, without a browser and without a vault. `server/test/portal` drives whole pages.
export default defineConfig({ test: { include: ['src/**/*.test.ts'] } });
