import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestVault } from '../harness/test-vault.ts';
import { writeReference } from './reference/reference-pages.ts';

// docs/reference says what the code says. `npm run docs:reference` writes it.

const folder = path.resolve(import.meta.dirname, '../../../docs/reference');

let vault: TestVault;
let pages: Readonly<Record<string, string>>;
beforeAll(async () => {
  vault = await TestVault.start();
  pages = writeReference((await vault.request('GET', '/openapi.json')).body);
  if (process.env['REFERENCE'] !== 'write') return;
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages)) await writeFile(path.join(folder, name), text);
});
afterAll(() => vault.stop());

describe('docs/reference', () => {
  it('has the pages that are written from the code, and no other', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(Object.keys(pages).toSorted());
  });

  it.each(['api.md', 'cli.md', 'errors.md', 'permissions.md', 'settings.md'])('%s is up to date', async (name) => {
    expect(await readFile(path.join(folder, name), 'utf8')).toBe(pages[name]);
  });
});
