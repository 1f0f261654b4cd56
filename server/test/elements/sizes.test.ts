import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const served = new URL('../../assets/elements/', import.meta.url);
const packaged = new URL('../../../elements/dist/', import.meta.url);

/** The sizes are those that a visitor downloads, in kB of 1,000 bytes. */
describe('what a page loads for its fields', () => {
  it.each([
    { file: 'client.js', most: 6.55 },
    { file: 'field.js', most: 12.37 },
    { file: 'controller.js', most: 7.94 },
  ])('$file has at most $most kB', async ({ file, most }) => {
    const { length } = await readFile(new URL(`${file}.gz`, served));
    expect(length).toBeGreaterThan(0);
    expect(length / 1_000).toBeLessThanOrEqual(most);
  });

  it.each(['react.js', 'vue.js', 'svelte/index.js'])('the components in %s have at most 3 kB', async (file) => {
    const { length } = gzipSync(await readFile(new URL(file, packaged)), { level: 9 });
    expect(length / 1_000).toBeLessThanOrEqual(3);
  });
});
