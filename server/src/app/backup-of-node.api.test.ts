import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { checkBackup } from './backup-check.ts';

const run = promisify(execFile);
const tokens = 20;
let vault: TestVault;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-node-backup-'));
  await Promise.all(
    Array.from({ length: tokens }, () =>
      vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } }),
    ),
  );
});
afterAll(async () => {
  await vault.stop();
  await rm(folder, { recursive: true });
});

async function check(url: string, config: VaultConfig = vault.config) {
  const dump = path.join(folder, crypto.randomUUID());
  await run('pg_dump', ['--format=custom', `--file=${dump}`, url]);
  return checkBackup(config, {
    dump,
    sampleSize: undefined,
    unpackedBytesMax: undefined,
    searchPath: process.env['PATH'],
    signal: new AbortController().signal,
    onStep: () => undefined,
    onProgress: () => undefined,
  });
}

it('opens the tokens in the dump of each node with the keys of the home database', async () => {
  const reports = [];
  for (const { database } of vault.nodes) reports.push(await check(database.url));
  const own = reports.flatMap(({ tenants }) => tenants.filter(({ tenantId }) => tenantId === tenant.id));
  expect(own.reduce((sum, { opened }) => sum + opened, 0)).toBe(tokens);
  expect(own.every(({ unopened, missingKeys }) => unopened === 0 && missingKeys.length === 0)).toBe(true);
});

it('names a key that the home database does not have, and tokens that do not open', async () => {
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  await node.database.owner.query(
    'update tokens set data = set_byte(data, 5, 9) where id = (select min(id) from tokens)',
  );
  const { tenants } = await check(node.database.url);
  expect(tenants).toMatchObject([{ tenantId: tenant.id, unopened: 1, missingKeys: [{ keyVersion: 9, tokens: 1 }] }]);
});

it('refuses the dump of a node of another vault', async () => {
  const other = await TestVault.start(undefined, { nodes: 0 });
  // Databases of tests are copies of one.
  await other.database.owner.query('update held_drawers set vault_id = gen_random_uuid()');
  const dumped = vault.nodes[0]?.database.url ?? '';
  await expect(check(dumped, other.config)).rejects.toThrow('of another vault');
  await other.stop();
});
