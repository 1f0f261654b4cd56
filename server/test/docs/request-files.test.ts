import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestVault } from '../harness/test-vault.ts';
import { toRequestFiles } from './requests/request-files.ts';
import { type SampleRequest, sampleRequestsOf } from './requests/sample-requests.ts';

// examples/requests agrees with the description of the API. `npm run docs:reference` writes it.

const folder = path.resolve(import.meta.dirname, '../../../examples/requests');

let vault: TestVault;
let requests: readonly SampleRequest[];
let files: Readonly<Record<string, string>>;
beforeAll(async () => {
  vault = await TestVault.start();
  requests = sampleRequestsOf((await vault.request('GET', '/openapi.json')).body);
  files = toRequestFiles(requests);
  if (process.env['REFERENCE'] !== 'write') return;
  for (const name of await readdir(folder)) await rm(path.join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
});
afterAll(() => vault.stop());

describe('examples/requests', () => {
  it('has the files that are written from the description, and no other', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(Object.keys(files).toSorted());
    for (const [name, text] of Object.entries(files)) {
      const file = await readFile(path.join(folder, name), 'utf8');
      expect(file === text, `${name} is not what the API describes. Run \`npm run docs:reference\`.`).toBe(true);
    }
  });

  it('has each operation once, in a file and in the collection', () => {
    const { 'strongroom.postman_collection.json': collection = '', ...httpFiles } = files;
    const text = Object.values(httpFiles).join('\n');
    expect(text.match(/^### /gm)).toHaveLength(requests.length);
    const { item } = JSON.parse(collection) as { item: { item: unknown[] }[] };
    expect(item.flatMap((group) => group.item)).toHaveLength(requests.length);
  });

  it('names keys that may read what needs no id', async () => {
    const { keys } = await vault.makeTenant();
    // Nothing outside can be called here.
    const isOwn = ({ path }: SampleRequest) => !path.includes('{{') && !path.startsWith('/proxy');
    const reads = requests.filter((request) => request.method === 'GET' && isOwn(request));
    expect(reads.length).toBeGreaterThan(5);
    for (const { path, key } of reads) {
      const response = await vault.request('GET', path, {
        key: key === 'private_key' ? keys.private : keys.management,
      });
      // A ping has no content.
      expect([path, response.status]).toEqual([path, path === '/ping' ? 204 : 200]);
    }
  });

  it('stores a card with the first request of the collection that does', async () => {
    const { keys } = await vault.makeTenant();
    const card = requests.find(({ method, path }) => method === 'POST' && path === '/tokens');
    const response = await vault.request('POST', '/tokens', { key: keys.private, body: card?.body });
    expect(response.status).toBe(201);
  });
});
