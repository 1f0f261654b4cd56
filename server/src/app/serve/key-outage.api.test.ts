import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { WatchedRootKey } from '../../../test/harness/watched-root-key.ts';

const rootKey = new WatchedRootKey();
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start({ kind: 'file', open: async () => rootKey });
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const lines = (text: string) =>
  vault.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as object);
const scrape = async () => (await vault.request('GET', '/metrics', { url: vault.server.adminUrl })).text;
const create = () => vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'a' } });

it('a key service that goes away is one line in the log, and a metric, which say how long loaded keys last', async () => {
  await create();
  expect(await scrape()).toContain('strongroom_cache_ends_seconds{cache="tenant-keys"} +Inf');
  rootKey.isAway = true;
  vault.server.core.keyring.forgetAll();
  for (let count = 0; count < 3; count += 1) expect((await create()).status).toBe(201);
  expect(lines('key service unavailable')).toMatchObject([
    { root_key: rootKey.id, seconds: expect.closeTo(1_200, -2) },
  ]);
  const [, seconds] = /strongroom_cache_ends_seconds\{cache="tenant-keys"\} (\S+)/.exec(await scrape()) ?? [];
  expect(Number(seconds)).toBeCloseTo(1_200, -2);

  rootKey.isAway = false;
  vault.server.core.keyring.forgetAll();
  expect((await create()).status).toBe(201);
  expect(lines('key service back')).toHaveLength(1);
  expect(await scrape()).toContain('strongroom_cache_ends_seconds{cache="tenant-keys"} +Inf');
});
