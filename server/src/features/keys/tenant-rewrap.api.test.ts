import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../test/harness/watched-root-key.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { OwnRootKeys } from '../../platform/keyring/kms/own-root-keys.ts';
import { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { rotateDataKey } from './data-rotation.ts';
import { rotateRootKeys } from './root-rotation.ts';
import { rewrapTenant } from './tenant-rewrap.ts';

const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
const keysOfTenant = 3;

let test: TestDatabase;
let database: Database;
let vaultKey: WatchedRootKey;
let ownKey: WatchedRootKey;
let nextKey: WatchedRootKey;
let tenant: TenantId;
let neighbour: TenantId;
beforeEach(async () => {
  test = await createTestDatabase();
  database = test.open();
  vaultKey = new WatchedRootKey();
  ownKey = new WatchedRootKey();
  nextKey = new WatchedRootKey();
  tenant = await createKeyedTenant(database, vaultKey);
  neighbour = await createKeyedTenant(database, vaultKey);
});
afterEach(() => test.drop());

const toConfig = (key: WatchedRootKey) => ({ kind: 'file', open: async () => key });
const withOwn = (primary = vaultKey, others: WatchedRootKey[] = []) => {
  const keys = new Map([
    ['acme', toConfig(ownKey)],
    ['acme-2', toConfig(nextKey)],
  ]);
  return new RootKeys(primary, others, new OwnRootKeys({ keys, graceSeconds: 900 }));
};
const parts = (rootKeys = withOwn()) => ({ database, rootKeys });
const wrappersOf = async (id: TenantId) => {
  const { rows } = await test.owner.query<{ root_key: string }>(
    'select distinct root_key from tenant_keys where tenant_id = $1',
    [id],
  );
  return rows.map((row) => row.root_key);
};
const sealedWith = async (rootKeys: RootKeys) =>
  (await new Keyring(database, rootKeys).forTenant(tenant)).seal('kept', binding);
const opens = async (record: Buffer, rootKeys = withOwn()) =>
  (await new Keyring(database, rootKeys).forTenant(tenant)).open(record, binding);

describe('rewrapping the keys of a tenant', () => {
  it("moves all of them under its owner's root key, to another of theirs, and back, and data stays as it is", async () => {
    const record = await sealedWith(withOwn());
    for (const [name, id] of [
      ['acme', `${ownKey.id}@acme`],
      ['acme-2', `${nextKey.id}@acme-2`],
      [undefined, vaultKey.id],
    ] as const) {
      expect(await rewrapTenant(parts(), tenant, name)).toEqual({ rootKey: id, rewrapped: keysOfTenant });
      expect(await wrappersOf(tenant)).toEqual([id]);
      expect(await opens(record)).toBe('kept');
    }
    expect(await wrappersOf(neighbour)).toEqual([vaultKey.id]);
    expect(await rewrapTenant(parts(), tenant, undefined)).toMatchObject({ rewrapped: 0 });
  });

  it('is recorded for each key, with the root keys before and after', async () => {
    await rewrapTenant(parts(), tenant, 'acme');
    const { rows } = await test.owner.query<{ entity_id: string; details: { changes: string[] } }>(
      `select entity_id, details::json as details from audit_records where tenant_id = $1 and operation = 'rewrap' order by entity_id`,
      [tenant],
    );
    expect(rows.map((row) => row.entity_id)).toEqual(['data/1', 'fingerprint/1', 'index/1']);
    for (const { details } of rows) {
      expect(details.changes).toEqual([`root key removed: ${vaultKey.id}`, `root key added: ${ownKey.id}@acme`]);
    }
  });

  it('changes nothing if the root key fails, is not in the settings or does not give back what it wrapped', async () => {
    await expect(rewrapTenant(parts(), tenant, 'unknown')).rejects.toThrow('no root key named "unknown"');
    ownKey.isAway = true;
    await expect(rewrapTenant(parts(), tenant, 'acme')).rejects.toThrow('away, as planned');
    ownKey.isAway = false;
    ownKey.wrap = (_key, context) => WatchedRootKey.prototype.wrap.call(ownKey, Buffer.alloc(32, 1), context);
    await expect(rewrapTenant(parts(), tenant, 'acme')).rejects.toThrow('does not unwrap what it wrapped');
    expect(await wrappersOf(tenant)).toEqual([vaultKey.id]);
  });

  it('holds no lock while the key service is slow', async () => {
    const { reached, release } = ownKey.hold();
    const rewrapping = rewrapTenant(parts(), tenant, 'acme');
    await reached;
    await test.owner.query('select 1 from tenant_keys where tenant_id = $1 for update nowait', [tenant]);
    release();
    await rewrapping;
    expect(await wrappersOf(tenant)).toEqual([`${ownKey.id}@acme`]);
  });

  it('by two operators at the same time leaves one root key, and tells the other one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const outcomes = await Promise.allSettled([
        rewrapTenant(parts(), tenant, 'acme'),
        rewrapTenant(parts(), tenant, 'acme-2'),
      ]);
      const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
      for (const failure of failures) expect(failure).toContain('at the same time. Nothing was changed');
      expect(failures.length).toBeLessThan(2);
      expect(await wrappersOf(tenant)).toHaveLength(1);
    }
  });

  it('stops a rotation of its data key that has already asked the root key of the vault', async () => {
    const watched = new WatchedRootKey(vaultKey);
    const { reached, release } = watched.hold();
    const rotating = rotateDataKey(parts(withOwn(watched)), tenant).catch((error: unknown) => error);
    await reached;
    await rewrapTenant(parts(), tenant, 'acme');
    release();
    expect(String(await rotating)).toContain('at the same time. Nothing was changed');
    expect(await wrappersOf(tenant)).toEqual([`${ownKey.id}@acme`]);
  });

  it('is stopped by a rotation of its data key, and leaves every key as it is', async () => {
    const { reached, release } = ownKey.hold();
    const rewrapping = rewrapTenant(parts(), tenant, 'acme').catch((error: unknown) => error);
    await reached;
    expect(await rotateDataKey(parts(), tenant)).toEqual({ version: 2 });
    release();
    expect(String(await rewrapping)).toContain('at the same time. Nothing was changed');
    expect(await wrappersOf(tenant)).toEqual([vaultKey.id]);
  });

  it('is kept by a rotation of the data key', async () => {
    await rewrapTenant(parts(), tenant, 'acme');
    expect(await rotateDataKey(parts(), tenant)).toEqual({ version: 2 });
    expect(await wrappersOf(tenant)).toEqual([`${ownKey.id}@acme`]);
  });

  it('leaves one root key when the name leads to another key at the time of a rotation, as after an alias was moved', async () => {
    await rewrapTenant(parts(), tenant, 'acme');
    const record = await sealedWith(withOwn());
    const keys = new Map([['acme', toConfig(nextKey)]]);
    const moved = new RootKeys(vaultKey, [], new OwnRootKeys({ keys, graceSeconds: 900 }));
    const refused = expect.stringContaining(`is ${nextKey.id}@acme in the settings`);
    await expect(rotateDataKey(parts(moved), tenant)).rejects.toMatchObject({ message: refused });
    await expect(rewrapTenant(parts(moved), tenant, 'acme')).rejects.toMatchObject({ message: refused });
    expect(await wrappersOf(tenant)).toEqual([`${ownKey.id}@acme`]);
    expect(await opens(record)).toBe('kept');
  });

  it('is kept by a rotation of the root key of the vault, which needs no root key of a tenant', async () => {
    await rewrapTenant(parts(), tenant, 'acme');
    const record = await sealedWith(withOwn());
    ownKey.isAway = true;
    const newer = new WatchedRootKey();
    const report = await rotateRootKeys(parts(withOwn(newer, [vaultKey])), () => undefined);
    expect(report).toMatchObject({ rootKey: newer.id, rewrapped: keysOfTenant });
    expect(await wrappersOf(tenant)).toEqual([`${ownKey.id}@acme`]);
    ownKey.isAway = false;
    expect(await opens(record, withOwn(newer))).toBe('kept');
  });
});
