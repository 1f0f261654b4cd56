import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fileRootKeyConfig, generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const run = promisify(execFile);
const [rootKey, acmeKey] = [generateRootKey(), generateRootKey()];
const bytesOf = (key: string) => parseRootKey(key) ?? Buffer.alloc(0);

let vault: TestVault;
let tenant: TestTenant;
let neighbour: TestTenant;
let directory: string;
let settings: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-backup-'));
  const keys = new Map([['acme', fileRootKeyConfig(bytesOf(acmeKey))]]);
  vault = await TestVault.start(bytesOf(rootKey), { ownRootKeys: { keys, graceSeconds: 900 } });
  [tenant, neighbour] = [await vault.makeTenant('test', 'acme'), await vault.makeTenant()];
  for (const { keys: own } of [tenant, neighbour]) {
    const body = { type: 'token', data: 'kept' };
    expect((await vault.request('POST', '/tokens', { key: own.private, body })).status).toBe(201);
  }
  settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

async function verify(own: Record<string, string>) {
  const file = path.join(directory, crypto.randomUUID());
  await run('pg_dump', ['--format=custom', `--file=${file}`, vault.database.url]);
  const { code, stdout } = await Program.run(['backup', 'verify', '--dump', file, '--json'], { ...settings, ...own });
  return { code, ...(JSON.parse(stdout) as object) };
}

it('a backup is whole with the root key of a tenant that has its own', async () => {
  const own = { STRONGROOM_TENANT_ROOT_KEYS: JSON.stringify({ acme: { STRONGROOM_ROOT_KEY: acmeKey } }) };
  const report = await verify(own);
  expect(report).toMatchObject({ code: 0, ok: true, key_versions: 6, unchecked: [] });
  expect(report).toMatchObject({ root_key: expect.stringMatching(/^file:\w+ and file:\w+@acme$/) });
});

it('a backup without that key is opened for the other tenants, and what could not be checked is named', async () => {
  const report = await verify({});
  expect(report).toMatchObject({
    code: 1,
    ok: false,
    key_versions: 3,
    tenants: [{ tenant_id: neighbour.id, opened: 1, unopened: 0 }],
    unchecked: [
      {
        root_key: expect.stringMatching(/^file:\w+@acme$/),
        tenants: [tenant.id],
        reason: expect.stringContaining('no root key named "acme"'),
      },
    ],
  });
});
