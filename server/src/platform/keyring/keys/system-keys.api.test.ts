import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { WatchedRootKey } from '../../../../test/harness/watched-root-key.ts';
import type { Database } from '../../database/database.ts';
import { RootKeys } from '../kms/root-keys.ts';
import { WrongRootKeyError } from './root-key-check.ts';
import { SystemKeys } from './system-keys.ts';

const secret = Buffer.alloc(32, 5);
let test: TestDatabase;
let database: Database;
let rootKey: WatchedRootKey;

beforeEach(async () => {
  test = await createTestDatabase();
  database = test.open();
  rootKey = new WatchedRootKey();
});
afterEach(() => test.drop());

const storedKeys = async () => (await test.owner.query('select * from system_keys order by purpose')).rows;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('SystemKeys.load', () => {
  it('makes the keys in a database that has none, and only there', async () => {
    const first = await SystemKeys.load(database, new RootKeys(rootKey));
    const stored = await storedKeys();
    expect(stored).toMatchObject([
      { purpose: 'audit', version: 1, root_key: rootKey.id },
      { purpose: 'credential', version: 1, root_key: rootKey.id },
      { purpose: 'exchange', version: 1, root_key: rootKey.id },
      { purpose: 'user', version: 1, root_key: rootKey.id },
    ]);
    const second = await SystemKeys.load(database, new RootKeys(rootKey));
    expect(second.hashCredential(secret)).toEqual(first.hashCredential(secret));
    expect(await storedKeys()).toEqual(stored);
  });

  it('gives servers that start together the same keys', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => SystemKeys.load(test.open({ connectionsMax: 1 }), new RootKeys(rootKey))),
    );
    expect(new Set(all.map((keys) => keys.hashCredential(secret).toString('hex'))).size).toBe(1);
    expect(await storedKeys()).toHaveLength(4);
  });

  it('adds the key that is missing and leaves the other alone', async () => {
    const first = await SystemKeys.load(database, new RootKeys(rootKey));
    await test.owner.query(`delete from system_keys where purpose = 'exchange'`);
    const second = await SystemKeys.load(database, new RootKeys(rootKey));
    expect(await storedKeys()).toHaveLength(4);
    expect(second.hashCredential(secret)).toEqual(first.hashCredential(secret));
  });

  it('refuses a wrong root key, names both and the remedy, and writes nothing', async () => {
    await SystemKeys.load(database, new RootKeys(rootKey));
    const stored = await storedKeys();
    const wrong = new WatchedRootKey();
    const failure = await failureOf(SystemKeys.load(database, new RootKeys(wrong)));
    expect(failure).toBeInstanceOf(WrongRootKeyError);
    expect(String(failure)).toContain(`the configured key is ${wrong.id}`);
    expect(String(failure)).toContain(`Configure the key with the fingerprint ${rootKey.id}`);
    expect(await storedKeys()).toEqual(stored);
  });

  it('refuses a wrong root key before it adds a missing key under it', async () => {
    await SystemKeys.load(database, new RootKeys(rootKey));
    await test.owner.query(`delete from system_keys where purpose = 'exchange'`);
    const wrong = new WatchedRootKey();
    await expect(SystemKeys.load(database, new RootKeys(wrong))).rejects.toThrow(WrongRootKeyError);
    expect(await storedKeys()).toHaveLength(3);
    expect(wrong.wraps).toBe(0);
  });

  it('lets one of two root keys win a race for an empty database, and it owns all of it', async () => {
    const other = new WatchedRootKey();
    const [first, their] = [rootKey.hold(), other.hold()];
    const ours = SystemKeys.load(test.open(), new RootKeys(rootKey));
    const theirLoad = SystemKeys.load(test.open(), new RootKeys(other));
    await Promise.all([first.reached, their.reached]);
    // The two servers have seen an empty table. The first one proceeds to its second key and waits there until the
    // other one has finished.
    const second = rootKey.hold();
    first.release();
    await second.reached;
    their.release();
    const theirs = await Promise.allSettled([theirLoad]);
    second.release();
    const outcomes = [...theirs, ...(await Promise.allSettled([ours]))];
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(new Set((await storedKeys()).map((row) => row.root_key)).size).toBe(1);
  });

  it.each(['credential', 'exchange'])('names the damaged row of the %s key', async (purpose) => {
    await SystemKeys.load(database, new RootKeys(rootKey));
    await test.owner.query(
      `update system_keys set wrapped = set_byte(wrapped, 20, 255 - get_byte(wrapped, 20)) where purpose = $1`,
      [purpose],
    );
    const failure = await failureOf(SystemKeys.load(database, new RootKeys(rootKey)));
    expect(String(failure)).toContain(`The ${purpose} key of the installation`);
    expect(String(failure)).toContain('Restore the table system_keys from a backup');
  });

  it('refuses keys whose rows were exchanged', async () => {
    await SystemKeys.load(database, new RootKeys(rootKey));
    await test.owner.query(
      `update system_keys as target set wrapped = source.wrapped from system_keys as source where source.purpose <> target.purpose`,
    );
    await expect(SystemKeys.load(database, new RootKeys(rootKey))).rejects.toThrow('Restore the table system_keys');
  });

  it('does not call a row damaged when the key service is away', async () => {
    await SystemKeys.load(database, new RootKeys(rootKey));
    rootKey.isAway = true;
    const failure = await failureOf(SystemKeys.load(database, new RootKeys(rootKey)));
    expect(String(failure)).toContain('away');
    expect(String(failure)).not.toContain('Restore');
  });

  it('writes nothing when the key service is away', async () => {
    rootKey.isAway = true;
    await expect(SystemKeys.load(database, new RootKeys(rootKey))).rejects.toThrow('away');
    expect(await storedKeys()).toEqual([]);
  });
});

describe('hashCredential', () => {
  it('knows a secret again by its hash', async () => {
    const keys = await SystemKeys.load(database, new RootKeys(rootKey));
    expect(keys.isCredential(secret, keys.hashCredential(secret))).toBe(true);
  });

  it('knows no other secret by it', async () => {
    const keys = await SystemKeys.load(database, new RootKeys(rootKey));
    const hash = keys.hashCredential(secret);
    for (const other of [
      Buffer.alloc(32),
      Buffer.alloc(31, 5),
      Buffer.alloc(33, 5),
      Buffer.alloc(0),
      randomBytes(32),
    ]) {
      expect(keys.isCredential(other, hash)).toBe(false);
    }
  });

  it('holds nothing of the secret and is 32 bytes', async () => {
    const hash = (await SystemKeys.load(database, new RootKeys(rootKey))).hashCredential(secret);
    expect(hash).toHaveLength(32);
    expect(hash.includes(secret.subarray(0, 4))).toBe(false);
  });

  it('is another in another installation', async () => {
    const keys = await SystemKeys.load(database, new RootKeys(rootKey));
    await test.owner.query('delete from system_keys');
    const elsewhere = await SystemKeys.load(database, new RootKeys(rootKey));
    expect(elsewhere.isCredential(secret, keys.hashCredential(secret))).toBe(false);
  });
});
