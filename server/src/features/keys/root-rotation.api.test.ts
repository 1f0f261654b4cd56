import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../test/harness/watched-root-key.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { requireRootKeyOpensEverything } from '../../platform/keyring/keys/root-key-check.ts';
import { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import { rotateRootKeys } from './root-rotation.ts';

const keysOfTenant = 3;
const systemKeys = 4;
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };

let test: TestDatabase;
let database: Database;
let older: WatchedRootKey;
let newer: WatchedRootKey;
let tenants: TenantId[];
beforeEach(async () => {
  test = await createTestDatabase();
  database = test.open();
  older = new WatchedRootKey();
  newer = new WatchedRootKey();
  tenants = [await createKeyedTenant(database, older), await createKeyedTenant(database, older)];
  await SystemKeys.load(database, new RootKeys(older));
});
afterEach(() => test.drop());

const rotate = () => rotateRootKeys({ database, rootKeys: new RootKeys(newer, [older]) }, () => undefined);
const requireOpens = async (rootKey: WatchedRootKey) => {
  await SystemKeys.requireOpens(database, new RootKeys(rootKey));
  await requireRootKeyOpensEverything(database, new RootKeys(rootKey));
};

describe('rotating the root key', () => {
  it('wraps every key again, so that the old root key opens nothing and the new one everything', async () => {
    const [tenant = '' as TenantId] = tenants;
    const record = (await new Keyring(database, new RootKeys(older)).forTenant(tenant)).seal('kept', binding);
    const hash = (await SystemKeys.load(database, new RootKeys(older))).hashCredential(Buffer.alloc(32, 7));
    expect(await rotate()).toEqual({ rootKey: newer.id, rewrapped: 2 * keysOfTenant + systemKeys, untouched: 0 });
    await requireOpens(newer);
    await expect(requireOpens(older)).rejects.toThrow('Wrong root key');
    expect((await new Keyring(database, new RootKeys(newer)).forTenant(tenant)).open(record, binding)).toBe('kept');
    expect((await SystemKeys.load(database, new RootKeys(newer))).hashCredential(Buffer.alloc(32, 7))).toEqual(hash);
  });

  it('goes on with what is left when it was stopped in the middle, and both root keys open meanwhile', async () => {
    const wrap = newer.wrap.bind(newer);
    let wraps = 0;
    newer.wrap = async (...parts) => {
      wraps += 1;
      if (wraps === systemKeys + 2) throw new Error('Killed, as planned.');
      return wrap(...parts);
    };
    await expect(rotate()).rejects.toThrow('as planned');
    const both = new RootKeys(newer, [older]);
    await requireRootKeyOpensEverything(database, both);
    await SystemKeys.requireOpens(database, both);
    expect(await rotate()).toMatchObject({ untouched: systemKeys + 1, rewrapped: 2 * keysOfTenant - 1 });
    await requireOpens(newer);
  });

  it('stores nothing from a root key that does not give back what it wrapped', async () => {
    newer.wrap = (_key, context) => WatchedRootKey.prototype.wrap.call(newer, Buffer.alloc(32, 1), context);
    await expect(rotate()).rejects.toThrow('does not unwrap what it wrapped');
    await requireOpens(older);
  });

  it('takes along what is wrapped in the old way behind its back, and says so when that does not end', async () => {
    const behind = await Promise.all(Array.from({ length: 3 }, () => createKeyedTenant(database, older)));
    const wrap = newer.wrap.bind(newer);
    let late = 0;
    newer.wrap = async (...parts) => {
      late += 1;
      if (late === 2) await createKeyedTenant(database, older);
      return wrap(...parts);
    };
    await rotate();
    await requireOpens(newer);
    expect(behind).toHaveLength(3);
    newer.wrap = async (...parts) => {
      await createKeyedTenant(database, older);
      return wrap(...parts);
    };
    await createKeyedTenant(database, older);
    await expect(rotate()).rejects.toThrow('still wraps keys with a root key other than');
  });

  it('may be run twice at the same moment', async () => {
    await Promise.all([rotate(), rotate()]);
    await requireOpens(newer);
  });

  it('is written down for each key of a tenant', async () => {
    await rotate();
    const { rows } = await test.owner.query(
      `select entity_id, operation from audit_records where tenant_id = $1 and entity_type = 'key' order by entity_id`,
      [tenants[0]],
    );
    expect(rows).toEqual(['data/1', 'fingerprint/1', 'index/1'].map((id) => ({ entity_id: id, operation: 'rewrap' })));
  });

  it('does not stop a server that lacks the new root key: its keys serve until they are too old', async () => {
    const [tenant = '' as TenantId] = tenants;
    let nowMs = 0;
    const keyring = new Keyring(database, new RootKeys(older), () => nowMs);
    const before = await keyring.forTenant(tenant);
    await rotate();
    keyring.forget(tenant);
    expect(await keyring.forTenant(tenant)).toBe(before);
    nowMs = 20 * 60_000;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject({ code: 'key-service-unavailable' });
  });
});
