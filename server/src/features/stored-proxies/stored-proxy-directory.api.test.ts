import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../test/harness/watched-root-key.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { Database } from '../../platform/database/database.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { makeWrappedKey } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { generateProxyKey, hashProxyKey } from '../../platform/keyring/sign-in/proxy-key.ts';
import { sealSecrets } from './proxy-secrets.ts';
import { StoredProxyDirectory } from './stored-proxy-directory.ts';
import { StoredProxyStore } from './stored-proxy-store.ts';

const settings = {
  name: 'Partner',
  destinationUrl: 'https://partner.example.com',
  requireAuth: true,
  applicationId: null,
  requestTransforms: [],
  responseTransforms: [],
  timeoutSeconds: null,
  disableDetokenization: false,
  allowedSources: [],
  callerCheck: null,
};

let test: TestDatabase;
let database: Database;
let rootKeys: RootKeys;
let keyring: Keyring;
let directory: StoredProxyDirectory;
beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  rootKeys = new RootKeys(new WatchedRootKey());
  keyring = new Keyring(database, rootKeys);
  directory = new StoredProxyDirectory({ database, keyring });
});
afterAll(() => test.drop());

async function storeProxy() {
  const tenantId = await createKeyedTenant(database, rootKeys);
  const key = generateProxyKey();
  const proxy = { id: randomUUID(), secrets: { key, configuration: new Sensitive({ password: 'of the partner' }) } };
  const keyHash = hashProxyKey(key.reveal()) ?? Buffer.alloc(0);
  const sealed = await sealSecrets(keyring, tenantId, proxy);
  const of = { id: proxy.id, keyHash, sealed, actorId: randomUUID() };
  await database.forTenant(tenantId, (tx) => new StoredProxyStore(tx, tenantId).insert(settings, of));
  return { tenantId, key, proxy };
}

const passwordOf = async (tenantId: TenantId, route: { readonly id: string; readonly version: number }) =>
  (await directory.open(tenantId, route)).proxy.secrets.configuration.reveal()['password'];

describe('a stored proxy that has been called before', () => {
  it('is read again once a rotation has removed the key that sealed its secrets', async () => {
    const { tenantId, key, proxy } = await storeProxy();
    const route = await directory.find(key.reveal());
    if (route === undefined) throw new Error('The proxy was not found.');
    expect(await passwordOf(tenantId, route)).toBe('of the partner');

    const next = await makeWrappedKey(rootKeys, { tenantId, purpose: 'data', version: 2 });
    await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).insert(next));
    keyring.forgetAll();
    const resealed = await sealSecrets(keyring, tenantId, proxy);
    await test.owner.query('update stored_proxies set secrets_sealed = $2 where id = $1', [proxy.id, resealed]);
    await test.owner.query(`delete from tenant_keys where tenant_id = $1 and purpose = 'data' and version = 1`, [
      tenantId,
    ]);
    keyring.forgetAll();

    expect(await directory.find(key.reveal())).toEqual(route);
    expect(await passwordOf(tenantId, route)).toBe('of the partner');
  });

  it('does not exist for another tenant', async () => {
    const { tenantId, key } = await storeProxy();
    const route = await directory.find(key.reveal());
    if (route === undefined) throw new Error('The proxy was not found.');
    expect(await passwordOf(tenantId, route)).toBe('of the partner');
    const other = await createKeyedTenant(database, rootKeys);
    await expect(directory.open(other, route)).rejects.toMatchObject({ code: 'not-found' });
  });
});
