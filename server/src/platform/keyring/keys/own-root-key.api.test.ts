import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../../test/harness/keyed-tenant.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../../test/harness/watched-root-key.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import { FileRootKey } from '../kms/file/file-root-key.ts';
import { OwnRootKeys } from '../kms/own-root-keys.ts';
import { RootKeys } from '../kms/root-keys.ts';
import { Keyring } from './keyring.ts';
import { troubleOf } from './own-key-trouble.ts';
import { requireRootKeyOpensEverything } from './root-key-check.ts';

const minuteMs = 60_000;
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
const unavailable = { code: 'key-service-unavailable', message: expect.stringContaining('own root key') };

let test: TestDatabase;
let database: Database;
let vaultKey: WatchedRootKey;
let ownKey: WatchedRootKey;
let opens: number;
let rootKeys: RootKeys;
let keyring: Keyring;
let tenant: TenantId;
let neighbour: TenantId;
let nowMs: number;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  vaultKey = new WatchedRootKey();
});
afterAll(() => test.drop());
beforeEach(async () => {
  vaultKey.isAway = false;
  ownKey = new WatchedRootKey();
  opens = 0;
  rootKeys = withOwn(() => ownKey);
  nowMs = 1_000_000;
  keyring = new Keyring(database, rootKeys, () => nowMs);
  tenant = await createKeyedTenant(database, rootKeys, 'acme');
  neighbour = await createKeyedTenant(database, rootKeys);
});

function withOwn(find: () => WatchedRootKey, graceSeconds = 900): RootKeys {
  const open = async () => {
    opens += 1;
    return find();
  };
  return new RootKeys(
    vaultKey,
    [],
    new OwnRootKeys({ keys: new Map([['acme', { kind: 'file', open }]]), graceSeconds }),
  );
}

describe("a tenant with its owner's root key", () => {
  it('has every key wrapped by it, under an id that names it, and none by that of the vault', async () => {
    const { rows } = await test.owner.query<{ root_key: string }>(
      'select distinct root_key from tenant_keys where tenant_id = $1',
      [tenant],
    );
    expect(rows).toEqual([{ root_key: `${ownKey.id}@acme` }]);
    vaultKey.isAway = true;
    const keys = await keyring.forTenant(tenant);
    expect(keys.open(keys.seal('kept', binding), binding)).toBe('kept');
  });

  it('opens the root key once, however many callers need it', async () => {
    await Promise.all(Array.from({ length: 50 }, () => keyring.forTenant(tenant)));
    expect(opens).toBe(1);
  });

  it('can be read for the grace time after the key worked last, not a millisecond longer', async () => {
    const record = (await keyring.forTenant(tenant)).seal('kept', binding);
    ownKey.isAway = true;
    for (const minutes of [1, 4, 6, 10, 14]) {
      nowMs = 1_000_000 + minutes * minuteMs;
      expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
      await expect.poll(() => keyring.ownOutages.failures).toBeGreaterThanOrEqual(minutes > 5 ? 1 : 0);
    }
    nowMs = 1_000_000 + 15 * minuteMs - 1;
    expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
    nowMs = 1_000_000 + 15 * minuteMs;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
  });

  it('counts the grace time from when the key service was asked, however late it responded', async () => {
    const { reached, release } = ownKey.hold();
    const loading = keyring.forTenant(tenant);
    await reached;
    nowMs += 4_000;
    release();
    await loading;
    ownKey.isAway = true;
    nowMs = 1_000_000 + 15 * minuteMs;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
  });

  it('is asked often enough to notice a shorter grace time', async () => {
    keyring = new Keyring(
      database,
      withOwn(() => ownKey, 30),
      () => nowMs,
    );
    await keyring.forTenant(tenant);
    ownKey.unwraps = 0;
    nowMs += 10_000;
    await keyring.forTenant(tenant);
    await expect.poll(() => keyring.use.loads).toBe(2);
    expect(ownKey.unwraps).toBe(3);
    ownKey.isAway = true;
    nowMs += 30_000;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
  });

  it('works again within two seconds of the key, and until then does not ask it for each request', async () => {
    ownKey.isAway = true;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    ownKey.unwraps = 0;
    for (let count = 0; count < 100; count += 1) {
      await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    }
    expect(ownKey.unwraps).toBe(0);
    ownKey.isAway = false;
    nowMs += 2_000;
    expect(await keyring.forTenant(tenant)).toBeDefined();
  });

  it('takes nothing from another tenant: it is served, and the vault reports no outage', async () => {
    const heard: unknown[] = [];
    keyring.onOutage((outage) => heard.push(outage));
    const { reached, release } = ownKey.hold();
    const stuck = keyring.forTenant(tenant).catch((error: unknown) => error);
    await reached;
    expect(await keyring.forTenant(neighbour)).toBeDefined();
    ownKey.isAway = true;
    release();
    expect(await stuck).toMatchObject(unavailable);
    nowMs += 6 * minuteMs;
    expect(await keyring.forTenant(neighbour)).toBeDefined();
    expect(keyring.endsInMs).toBeUndefined();
    expect(heard).toEqual([]);
    expect(keyring.use.failures).toBe(0);
  });

  it('says once that the key fails and why, how long values can be read, and once that it works again', async () => {
    const heard: (number | string)[] = [];
    keyring.ownOutages.onChange(({ endsAt, failedAt }, isOver) => heard.push(isOver ? 'over' : endsAt - failedAt));
    await keyring.forTenant(tenant);
    expect(keyring.ownKeysEndInMs).toEqual(new Map([['acme', Number.POSITIVE_INFINITY]]));
    ownKey.isAway = true;
    for (const minutes of [6, 7]) {
      nowMs = 1_000_000 + minutes * minuteMs;
      await keyring.forTenant(tenant);
      await expect.poll(() => keyring.ownOutages.failures).toBe(minutes - 5);
    }
    expect(heard).toEqual([9 * minuteMs]);
    expect(keyring.ownKeysEndInMs).toEqual(new Map([['acme', 8 * minuteMs]]));
    expect(await keyring.findOwnOutage(tenant)).toMatchObject({ endsInMs: 8 * minuteMs });
    ownKey.isAway = false;
    nowMs += 10_000;
    expect(await keyring.findOwnOutage(tenant)).toBeUndefined();
    expect(heard).toEqual([9 * minuteMs, 'over']);
    expect(await keyring.findOwnOutage(neighbour)).toBeUndefined();
  });

  it('does not stop a server that starts while it fails', async () => {
    ownKey.isAway = true;
    expect(await requireRootKeyOpensEverything(database, new RootKeys(vaultKey))).toBeGreaterThan(0);
  });
});

describe('a vault whose settings are wrong for a tenant', () => {
  const failureOf = async (keys: RootKeys) => {
    const other = new Keyring(database, keys, () => nowMs);
    await expect(other.forTenant(tenant)).rejects.toMatchObject(unavailable);
    const error = other.ownOutages.find(tenant)?.error ?? new Error('none');
    expect(await other.forTenant(neighbour)).toBeDefined();
    return { trouble: troubleOf(error), message: error.message };
  };

  it('says that it lacks the root key', async () => {
    expect(await failureOf(new RootKeys(vaultKey))).toEqual({
      trouble: 'not_configured',
      message: expect.stringContaining('no root key named "acme"'),
    });
  });

  it('says that it has another root key under that name, and takes the right one when it is there', async () => {
    let found = new WatchedRootKey(new FileRootKey(randomBytes(32)));
    const keys = withOwn(() => found);
    expect(await failureOf(keys)).toEqual({ trouble: 'replaced', message: expect.stringContaining(found.id) });
    found = ownKey;
    expect(await new Keyring(database, keys).forTenant(tenant)).toBeDefined();
  });

  it("does not unwrap a tenant's keys with a root key of the vault that is the same key", async () => {
    const same = new RootKeys(ownKey, [vaultKey]);
    expect(await failureOf(same)).toMatchObject({ trouble: 'not_configured' });
  });
});
