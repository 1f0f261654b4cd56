import type { Database } from '../../platform/database/database.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { listSystemKeys, updateSystemKey } from '../../platform/keyring/keys/system-key-store.ts';
import { createSystemKey } from '../../platform/keyring/keys/system-key-wrapping.ts';

/**
 * Replaces the key with which servers recognise each other. An attacker may have a copy of the old key, from the memory
 * of a server or from a backup and its root key. They can pose as a server until every server has been restarted with
 * the new key. Rewrapping the key with another root key would not shut them out.
 */
export async function rotateExchangeKey({
  database,
  rootKeys,
}: {
  readonly database: Database;
  readonly rootKeys: RootKeys;
}): Promise<void> {
  const old = (await listSystemKeys(database)).find(({ purpose }) => purpose === 'exchange');
  if (old === undefined) throw new Error('There is no exchange key yet. Starting a server creates it.');
  if (await updateSystemKey(database, old, await createSystemKey('exchange', rootKeys))) return;
  throw new Error('Another process changed the exchange key at the same time. Run the command again.');
}
