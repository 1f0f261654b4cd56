import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../../test/harness/watched-root-key.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import { Keyring } from './keyring.ts';
import { RootKeyMismatch } from '../kms/root-key.ts';
import { RootKeys } from '../kms/root-keys.ts';
import { SealedRecordError } from '../sealing/sealed-record.ts';
import { TenantKeyStore } from './tenant-key-store.ts';
import { makeWrappedKey } from './tenant-key-wrapping.ts';
import { tenantKeyPurposes } from './tenant-keyring.ts';

const minuteMs = 60_000;
const keysOfTenant = tenantKeyPurposes.length;
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
let test: TestDatabase;
let database: Database;
let rootKey: WatchedRootKey;
let keyring: Keyring;
let tenant: TenantId;
let nowMs: number;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
});
afterAll(() => test.drop());
beforeEach(async () => {
  rootKey = new WatchedRootKey();
  tenant = await createKeyedTenant(database, rootKey);
  nowMs = 1_000_000;
  keyring = new Keyring(database, new RootKeys(rootKey), () => nowMs);
});

const manyAtOnce = () => Promise.all(Array.from({ length: 100 }, () => keyring.forTenant(tenant)));
const unavailable = { code: 'key-service-unavailable' };

/** Rotates the data key like another server would: it stores version 2 and seals a record with it. */
async function rotateElsewhere(): Promise<Buffer> {
  const key = await makeWrappedKey(new RootKeys(rootKey), { tenantId: tenant, purpose: 'data', version: 2 });
  await database.forTenant(tenant, (tx) => new TenantKeyStore(tx).insert(key));
  return (await new Keyring(database, new RootKeys(rootKey)).forTenant(tenant)).seal('rotated', binding);
}

describe('makeTenantKeys', () => {
  it('stores nothing before it is told to', async () => {
    const { rows } = await test.owner.query('select count(*)::int as count from tenant_keys');
    await keyring.makeTenantKeys(tenant);
    expect((await test.owner.query('select count(*)::int as count from tenant_keys')).rows).toEqual(rows);
  });

  it('stores one wrapped key for each purpose under the id of the root key', async () => {
    const stored = await database.forTenant(tenant, (tx) => new TenantKeyStore(tx).listOfTenant(tenant));
    expect(stored.map(({ purpose }) => purpose).sort()).toEqual([...tenantKeyPurposes].sort());
    expect(new Set(stored.map((key) => key.rootKey))).toEqual(new Set([rootKey.id]));
    expect(new Set(stored.map(({ wrapped }) => wrapped.toString('hex'))).size).toBe(keysOfTenant);
  });

  it('stores nothing when the key service is away', async () => {
    rootKey.isAway = true;
    await expect(keyring.makeTenantKeys(tenant)).rejects.toThrow('The key service is away, as planned.');
  });
});

describe('forTenant', () => {
  it('unwraps each key once for a hundred callers at once', async () => {
    rootKey.unwraps = 0;
    const keyrings = await manyAtOnce();
    expect(new Set(keyrings).size).toBe(1);
    expect(rootKey.unwraps).toBe(keysOfTenant);
  });

  it('gives every tenant keys of its own', async () => {
    const other = await createKeyedTenant(database, rootKey);
    const record = (await keyring.forTenant(tenant)).seal('mine', binding);
    const others = await keyring.forTenant(other);
    expect(() => others.open(record, binding)).toThrow(SealedRecordError);
  });

  it('asks nobody again for five minutes', async () => {
    await keyring.forTenant(tenant);
    rootKey.unwraps = 0;
    nowMs += 5 * minuteMs - 1;
    await manyAtOnce();
    expect(rootKey.unwraps).toBe(0);
  });

  it('refreshes after five minutes, once for all, while callers go on with what they have', async () => {
    const first = await keyring.forTenant(tenant);
    rootKey.unwraps = 0;
    const { reached, release } = rootKey.hold();
    nowMs += 5 * minuteMs;
    expect(new Set(await manyAtOnce())).toEqual(new Set([first]));
    await reached;
    release();
    // The keys are now too old to be trusted, so this caller waits for the refresh in progress.
    nowMs += 15 * minuteMs;
    expect(await keyring.forTenant(tenant)).not.toBe(first);
    expect(rootKey.unwraps).toBe(keysOfTenant);
  });

  it('serves through fifteen minutes in which a refresh fails and says 503 afterwards', async () => {
    const first = await keyring.forTenant(tenant);
    const record = first.seal('kept', binding);
    rootKey.isAway = true;
    for (const minutes of [1, 5, 10, 14, 19]) {
      nowMs = 1_000_000 + minutes * minuteMs;
      expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
    }
    nowMs = 1_000_000 + 20 * minuteMs - 1;
    expect((await manyAtOnce()).every((served) => served === first)).toBe(true);
    nowMs = 1_000_000 + 20 * minuteMs;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
  });

  it('says once that a refresh fails, for how long the loaded keys last, and once that it works again', async () => {
    const heard: (number | undefined)[] = [];
    keyring.onOutage((outage) => heard.push(outage === undefined ? 0 : outage.endsInMs));
    const other = await createKeyedTenant(database, rootKey);
    await keyring.forTenant(tenant);
    nowMs += 4 * minuteMs;
    await keyring.forTenant(other);
    expect(keyring.endsInMs).toBeUndefined();
    rootKey.isAway = true;
    for (const minutes of [3, 5]) {
      nowMs += minutes * minuteMs;
      await keyring.forTenant(tenant);
      await keyring.forTenant(other);
      await expect.poll(() => keyring.use.failures).toBeGreaterThanOrEqual(minutes - 2);
    }
    expect(heard).toEqual([13 * minuteMs]);
    expect(keyring.endsInMs).toBe(8 * minuteMs);
    rootKey.isAway = false;
    keyring.forgetAll();
    await keyring.forTenant(tenant);
    expect(heard).toEqual([13 * minuteMs, 0]);
    expect(keyring.endsInMs).toBeUndefined();
  });

  it('tries a failed refresh again after a pause, not with every request', async () => {
    await keyring.forTenant(tenant);
    rootKey.isAway = true;
    rootKey.unwraps = 0;
    nowMs += 6 * minuteMs;
    for (let round = 0; round < 5; round += 1) await manyAtOnce();
    expect(rootKey.unwraps).toBeLessThanOrEqual(keysOfTenant);
  });

  it('serves again as soon as the key service is back', async () => {
    rootKey.isAway = true;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    rootKey.isAway = false;
    expect(await keyring.forTenant(tenant)).toBeDefined();
  });

  it('tells the caller nothing of what the key service said', async () => {
    rootKey.isAway = true;
    const failure = await keyring.forTenant(tenant).catch((error: unknown) => error);
    expect(String(failure)).not.toContain('as planned');
    expect(failure).toMatchObject({ cause: { message: 'The key service is away, as planned.' } });
  });

  it('has nothing for a tenant without keys', async () => {
    await test.owner.query('delete from tenant_keys where tenant_id = $1', [tenant]);
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a wrapped key that was moved', () => {
  it.each(['data', 'fingerprint', 'index'])("refuses another tenant's %s key copied into the row", async (purpose) => {
    const other = await createKeyedTenant(database, rootKey);
    await test.owner.query(
      `update tenant_keys as target set wrapped = source.wrapped, canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $2 and source.purpose = $3 and target.purpose = $3`,
      [other, tenant, purpose],
    );
    await expect(keyring.forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses the key of another purpose', async () => {
    await test.owner.query(
      `update tenant_keys as target set wrapped = source.wrapped, canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $1 and source.purpose = 'index' and target.purpose = 'data'`,
      [tenant],
    );
    await expect(keyring.forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses a key called another version', async () => {
    await test.owner.query(`update tenant_keys set version = 2 where tenant_id = $1 and purpose = 'data'`, [tenant]);
    await expect(keyring.forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses a key whose canary was sealed by another', async () => {
    const other = await createKeyedTenant(database, rootKey);
    await test.owner.query(
      `update tenant_keys as target set canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $2 and source.purpose = target.purpose`,
      [other, tenant],
    );
    await expect(keyring.forTenant(tenant)).rejects.toThrow(SealedRecordError);
  });

  it('is refused again and again: a refusal is not remembered as keys', async () => {
    await test.owner.query(`update tenant_keys set version = 2 where tenant_id = $1 and purpose = 'data'`, [tenant]);
    await expect(keyring.forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
    await expect(keyring.forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });
});

describe('forget', () => {
  it.each(['forget', 'forgetAll'] as const)('%s makes the next caller load again', async (method) => {
    const first = await keyring.forTenant(tenant);
    keyring[method](tenant);
    expect(await keyring.forTenant(tenant)).not.toBe(first);
  });

  it.each(['forget', 'forgetAll'] as const)('%s gives no keys to a tenant that has none any more', async (method) => {
    await keyring.forTenant(tenant);
    await test.owner.query('delete from tenant_keys where tenant_id = $1', [tenant]);
    keyring[method](tenant);
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject({ code: 'not-found' });
  });

  it.each(['forget', 'forgetAll'] as const)(
    '%s holds for keys that were being loaded at that moment',
    async (method) => {
      const { reached, release } = rootKey.hold();
      const loading = keyring.forTenant(tenant);
      await reached;
      await test.owner.query('delete from tenant_keys where tenant_id = $1', [tenant]);
      keyring[method](tenant);
      release();
      await loading;
      await expect(keyring.forTenant(tenant)).rejects.toMatchObject({ code: 'not-found' });
    },
  );

  it.each(['forget', 'forgetAll'] as const)(
    'after %s what was known still serves while the key service is away, and no longer than that',
    async (method) => {
      const first = await keyring.forTenant(tenant);
      const record = await rotateElsewhere();
      keyring[method](tenant);
      rootKey.isAway = true;
      rootKey.unwraps = 0;
      for (let round = 0; round < 5; round += 1) expect((await manyAtOnce()).every((one) => one === first)).toBe(true);
      // The keyring retries after a delay instead of on every request.
      expect(rootKey.unwraps).toBeLessThanOrEqual(keysOfTenant + 1);
      rootKey.isAway = false;
      nowMs += 5_000;
      expect((await keyring.forTenant(tenant)).canOpen(record)).toBe(true);
    },
  );

  it('leaves other tenants alone', async () => {
    const first = await keyring.forTenant(tenant);
    keyring.forget(await createKeyedTenant(database, rootKey));
    expect(await keyring.forTenant(tenant)).toBe(first);
  });
});

describe('forRecord', () => {
  it('loads nothing for a record whose key it has', async () => {
    const first = await keyring.forTenant(tenant);
    const record = first.seal('known', binding);
    rootKey.unwraps = 0;
    expect(await keyring.forRecord(tenant, record)).toBe(first);
    expect(rootKey.unwraps).toBe(0);
  });

  it('loads again for a record that names a newer key version', async () => {
    const first = await keyring.forTenant(tenant);
    const record = await rotateElsewhere();
    expect(first.canOpen(record)).toBe(false);
    expect((await keyring.forRecord(tenant, record)).open(record, binding)).toBe('rotated');
  });

  it('still opens records of the older version', async () => {
    const old = (await keyring.forTenant(tenant)).seal('old', binding);
    await keyring.forRecord(tenant, await rotateElsewhere());
    expect((await keyring.forRecord(tenant, old)).open(old, binding)).toBe('old');
  });

  it('is not fooled by a load that began before the new version was stored', async () => {
    const slowKey = new WatchedRootKey(rootKey);
    const slow = new Keyring(database, new RootKeys(slowKey), () => nowMs);
    const { reached, release } = slowKey.hold();
    const loading = slow.forTenant(tenant);
    await reached;
    const record = await rotateElsewhere();
    const asked = slow.forRecord(tenant, record);
    release();
    expect((await loading).canOpen(record)).toBe(false);
    expect((await asked).open(record, binding)).toBe('rotated');
  });

  it('is not fooled by a refresh that began before the new version was stored', async () => {
    const slowKey = new WatchedRootKey(rootKey);
    const slow = new Keyring(database, new RootKeys(slowKey), () => nowMs);
    await slow.forTenant(tenant);
    nowMs += 5 * minuteMs;
    const { reached, release } = slowKey.hold();
    await slow.forTenant(tenant);
    await reached;
    const record = await rotateElsewhere();
    const asked = slow.forRecord(tenant, record);
    release();
    expect((await asked).open(record, binding)).toBe('rotated');
  });

  it('opens nothing that names a version which does not exist', async () => {
    const record = (await keyring.forTenant(tenant)).seal('text', binding);
    record.writeUInt32BE(9, 2);
    const loaded = await keyring.forRecord(tenant, record);
    expect(() => loaded.open(record, binding)).toThrow(SealedRecordError);
  });

  it('refuses what is no record', async () => {
    await expect(keyring.forRecord(tenant, Buffer.alloc(10))).rejects.toThrow(SealedRecordError);
  });

  it('says 503 when the newer key cannot be unwrapped now', async () => {
    await keyring.forTenant(tenant);
    const record = await rotateElsewhere();
    rootKey.isAway = true;
    await expect(keyring.forRecord(tenant, record)).rejects.toMatchObject(unavailable);
  });
});
