import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImportFolder, type ImportTry, toLines } from '../harness/import-file.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

/**
 * A line of an import contains the views as their author wrote them, but not who the author was. Previously, the
 * operator permanently vouched for all of them, so a view planted in one vault showed what others wrote in the next
 * vault.
 */
let vault: TestVault;
let tenant: TestTenant;
let folder: ImportFolder;
let script: TokenEndpoints;
let owner: TokenEndpoints;
const secret = 'secret-4012888888881881';
const views = {
  mask: '{{ data }}',
  search_indexes: ['{{ data | slice: 0, 12 }}'],
  fingerprint_expression: '{{ data | slice: 0, 12 }}',
};

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  folder = await ImportFolder.make();
  const { key } = await createApplication(vault, tenant, {
    type: 'public',
    permissions: ['token:create', 'token:update'],
  });
  script = new TokenEndpoints(vault, key);
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

/** Plants a token with a public key, moves it by a file, and has its owner write other data. */
async function moveAndWrite(order: Partial<ImportTry> = {}): Promise<string> {
  const made = await script.make({ data: 'bait', ...views });
  const { type, containers } = (await owner.get(made.id)).body as { type: string; containers: string[] };
  await owner.delete(made.id);
  const id = `${made.id}-moved`;
  const text = toLines({ id, type, containers, data: 'bait', ...views });
  expect(await folder.import(vault, tenant, { text, ...order })).toMatchObject({ imported: 1 });
  expect((await owner.get(id)).body).toMatchObject({ mask: '{{ data }}' });
  expect((await owner.patch(id, { data: secret })).status).toBe(200);
  return id;
}

it('a planted view does not show what others write after its token was imported', async () => {
  const id = await moveAndWrite();
  const seen = await script.patch(id, { metadata: { a: 'b' } });
  expect(seen.status, seen.text).toBe(200);
  expect(seen.text).not.toContain('401288');
});

it('no view of an imported token outlives the next data', async () => {
  const { body } = await owner.get(await moveAndWrite());
  expect(body).toMatchObject({ data: secret, fingerprint_expression: '{{ data | stringify }}' });
  expect(body).not.toHaveProperty('mask');
  expect(body).not.toHaveProperty('search_indexes');
});

it('keeps the views of a file that the operator vouches for', async () => {
  const { body } = await owner.get(await moveAndWrite({ vouchesForViews: true }));
  expect(body).toMatchObject({ data: secret, ...views });
});

it('resumes an import only with the same word about its views', async () => {
  const order = { path: folder.path('resumed'), text: toLines({ data: 'a' }, { data: 'b' }) };
  await folder.import(vault, tenant, { ...order, signal: AbortSignal.abort() });
  const resumed = { ...order, isResumed: true, vouchesForViews: true };
  await expect(folder.import(vault, tenant, resumed)).rejects.toThrow('Resume it with the same options.');
});
