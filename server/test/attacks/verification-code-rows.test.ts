import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import {
  keyVersionOf,
  type RecordBinding,
  SealedRecordError,
} from '../../src/platform/keyring/sealing/sealed-record.ts';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { RootKeys } from '../../src/platform/keyring/kms/root-keys.ts';
import { SystemKeys } from '../../src/platform/keyring/keys/system-keys.ts';
import { systemWrapContext } from '../../src/platform/keyring/keys/system-key-wrapping.ts';
import { EpochServers, Wire } from '../harness/epoch-servers.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * An attacker who can write to the database changes the data that the exchange depends on: the wrapped key and the
 * records.
 */
const binding: RecordBinding = { tenantId: 't1', tokenId: 'k1', field: 'cvc', recordVersion: 1, type: 'card' };

let test: TestDatabase;
let database: Database;
let rootKeys: RootKeys;
let systemKeys: SystemKeys;
let servers: EpochServers;
beforeEach(async () => {
  test = await createTestDatabase();
  database = test.open();
  rootKeys = new RootKeys(new FileRootKey(randomBytes(32)));
  systemKeys = await SystemKeys.load(database, rootKeys);
  servers = new EpochServers(test.url, new Wire((message) => systemKeys.authenticate(message)));
});
afterEach(async () => {
  await servers.stopAll();
  await test.drop();
});

const write = (sql: string, values: readonly unknown[] = []) => test.owner.query(sql, [...values]);

/** Returns a key that the attacker knows, wrapped by the attacker's own root key. */
async function ownKey(): Promise<{ rootKey: string; wrapped: Buffer }> {
  const own = new FileRootKey(randomBytes(32));
  return { rootKey: own.id, wrapped: await own.wrap(randomBytes(32), systemWrapContext('exchange')) };
}

describe('a writer of the row of the exchange key', () => {
  it.each(['credential', 'audit', 'user'])('cannot make servers use the %s key instead', async (purpose) => {
    await write(
      `update system_keys set wrapped = (select wrapped from system_keys where purpose = $1) where purpose = 'exchange'`,
      [purpose],
    );
    await expect(SystemKeys.load(database, rootKeys)).rejects.toThrow('its row is damaged');
  });

  it('cannot give servers a key of their own, under its true root key or under ours', async () => {
    const { rootKey, wrapped } = await ownKey();
    await write(`update system_keys set wrapped = $1 where purpose = 'exchange'`, [wrapped]);
    await expect(SystemKeys.load(database, rootKeys)).rejects.toThrow('its row is damaged');
    await write(`update system_keys set root_key = $1 where purpose = 'exchange'`, [rootKey]);
    await expect(SystemKeys.load(database, rootKeys)).rejects.toThrow('Wrong root key');
  });

  it('separates new servers from running ones by deleting it, and learns the key of neither', async () => {
    const running = await servers.join();
    await write(`delete from system_keys where purpose = 'exchange'`);
    const renewed = await SystemKeys.load(database, rootKeys);
    const probe = Buffer.from('probe');
    expect(renewed.authenticate(probe)).not.toEqual(systemKeys.authenticate(probe));
    const started = await servers.join({ mac: (message) => renewed.authenticate(message) });
    const record = running.keys.seal('123', binding);
    const opening = started.keys.open(record, binding);
    await servers.wire.quiet();
    servers.clock.move(1_000);
    expect(await opening).toBeUndefined();
    expect(await running.keys.open(record, binding)).toBe('123');
  });
});

describe('a writer of the record of a code', () => {
  it('opens no code under the key of another epoch, whose id it names', async () => {
    const [a, b] = [await servers.join(), await servers.join()];
    await servers.wire.quiet();
    const [record, other] = [a.keys.seal('123', binding), b.keys.seal('456', binding)];
    record.writeUInt32BE(keyVersionOf(other), 2);
    for (const { keys } of [a, b]) await expect(keys.open(record, binding)).rejects.toThrow(SealedRecordError);
  });

  it('holds a request back for a second with an unknown epoch, once for each id in a minute', async () => {
    const [a, b] = [await servers.join(), await servers.join()];
    const record = a.keys.seal('123', binding);
    record.writeUInt32BE((keyVersionOf(record) ^ 1) >>> 0, 2);
    const opening = b.keys.open(record, binding);
    servers.clock.move(1_000);
    expect(await opening).toBeUndefined();
    expect(await b.keys.open(record, binding)).toBeUndefined();
  });
});
