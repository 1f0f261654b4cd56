import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestVault } from '../harness/test-vault.ts';
import { writeReference } from './reference/reference-pages.ts';

// docs/reference agrees with the code. `npm run docs:reference` writes it.

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

  it('is up to date', async () => {
    for (const [name, text] of Object.entries(pages)) {
      const page = await readFile(path.join(folder, name), 'utf8');
      expect(page === text, `${name} is not what the code says. Run \`npm run docs:reference\`.`).toBe(true);
    }
  });
});
