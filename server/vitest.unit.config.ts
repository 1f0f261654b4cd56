import { defineConfig } from 'vitest/config';
import whole from './vitest.config.ts';

// The tests that need neither PostgreSQL nor Redis nor a browser: `npm run test:unit`.
export default defineConfig({
  test: { ...whole.test, globalSetup: [], include: ['src/**/*.test.ts'], exclude: ['**/*.api.test.ts'] },
});
