import { defineConfig } from 'vitest/config';

// What the frames compute, without a browser and without a vault. `server/test/elements` drives whole fields.
export default defineConfig({ test: { include: ['{client,frames,protocol}/**/*.test.ts'] } });
