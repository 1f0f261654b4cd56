import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../../test/harness/watched-root-key.ts';
import type { Database } from '../../database/database.ts';
import { RootKeys } from '../kms/root-keys.ts';
import { requireRootKeyOpensEverything, WrongRootKeyError } from './root-key-check.ts';
import { tenantKeyPurposes } from './tenant-keyring.ts';

let test: TestDatabase;
let database: Database;
let rootKey: WatchedRootKey;

beforeEach(async () => {
  test = await createTestDatabase();
  database = test.open();
  rootKey = new WatchedRootKey();
});
afterEach(() => test.drop());

const storedKeys = async () =>
  (await test.owner.query('select * from tenant_keys order by tenant_id, purpose, version')).rows;
const check = (key = rootKey) => requireRootKeyOpensEverything(database, new RootKeys(key));
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => String(error),
  );

describe('requireRootKeyOpensEverything', () => {
  it('has nothing to say of an empty database', async () => {
    expect(await check()).toBe(0);
  });

  it.each([1, 3])('opens every key of %i tenants', async (tenants) => {
    for (let count = 0; count < tenants; count += 1) await createKeyedTenant(database, rootKey);
    rootKey.unwraps = 0;
    expect(await check()).toBe(tenants * tenantKeyPurposes.length);
    expect(rootKey.unwraps).toBe(tenants * tenantKeyPurposes.length);
  });

  it.each([125, 126])('turns the page: opens the %i × 4 keys of many tenants', async (tenants) => {
    await Promise.all(Array.from({ length: tenants }, () => createKeyedTenant(database, rootKey)));
    expect(await check()).toBe(tenants * tenantKeyPurposes.length);
  });

  it('refuses a wrong root key, names both and the remedy, and writes nothing', async () => {
    await createKeyedTenant(database, rootKey);
    const stored = await storedKeys();
    const wrong = new WatchedRootKey();
    await expect(check(wrong)).rejects.toThrow(WrongRootKeyError);
    const message = await failureOf(check(wrong));
    expect(message).toContain(`sealed with ${rootKey.id}, but the configured key is ${wrong.id}`);
    expect(message).toContain('Nothing was changed');
    expect(message).toContain(`Configure the key with the fingerprint ${rootKey.id}`);
    expect(await storedKeys()).toEqual(stored);
    expect(wrong.wraps + wrong.unwraps).toBe(0);
  });

  it('finds the one tenant that another root key sealed', async () => {
    const other = new WatchedRootKey();
    for (let count = 0; count < 5; count += 1) await createKeyedTenant(database, rootKey);
    await createKeyedTenant(database, other);
    await expect(check()).rejects.toThrow(other.id);
  });

  it('finds a wrong root key that claims to be the right one', async () => {
    await createKeyedTenant(database, new WatchedRootKey());
    await test.owner.query('update tenant_keys set root_key = $1', [rootKey.id]);
    await expect(check()).rejects.toThrow('cannot be unwrapped with root key');
  });

  it.each(tenantKeyPurposes.flatMap((purpose) => ['wrapped', 'canary'].map((column) => [purpose, column] as const)))(
    'names the %s key whose %s is damaged',
    async (purpose, column) => {
      await createKeyedTenant(database, rootKey);
      const tenant = await createKeyedTenant(database, rootKey);
      await test.owner.query(
        `update tenant_keys set ${column} = set_byte(${column}, 40, 255 - get_byte(${column}, 40)) where tenant_id = $1 and purpose = $2`,
        [tenant, purpose],
      );
      const message = await failureOf(check());
      expect(message).toContain(
        `The ${purpose} key version 1 of tenant ${tenant} cannot be unwrapped with root key ${rootKey.id}`,
      );
      expect(message).toContain('Restore the table tenant_keys from a backup');
    },
  );

  it.each(['wrapped', 'canary'])('finds a %s that is empty', async (column) => {
    await createKeyedTenant(database, rootKey);
    await test.owner.query(`update tenant_keys set ${column} = '' where purpose = 'data'`);
    await expect(check()).rejects.toThrow('The data key version 1');
  });

  it("finds another tenant's key copied into a row", async () => {
    const [source, target] = [await createKeyedTenant(database, rootKey), await createKeyedTenant(database, rootKey)];
    await test.owner.query(
      `update tenant_keys as target set wrapped = source.wrapped, canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $2 and source.purpose = 'data' and target.purpose = 'data'`,
      [source, target],
    );
    expect(await failureOf(check())).toContain(`The data key version 1 of tenant ${target}`);
  });

  it('does not call a row damaged when the key service is away', async () => {
    await createKeyedTenant(database, rootKey);
    rootKey.isAway = true;
    const message = await failureOf(check());
    expect(message).toContain('key service');
    expect(message).not.toContain('damaged');
    expect(message).not.toContain('Restore');
  });
});
