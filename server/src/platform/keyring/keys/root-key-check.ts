import type { Database } from '../../database/database.ts';
import { ownKeyNameOf } from '../kms/own-root-key.ts';
import { RootKeyMismatch } from '../kms/root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { SealedRecordError } from '../sealing/sealed-record.ts';
import { tenantKeyPages, type WrappedTenantKey } from './tenant-key-store.ts';
import { unwrapKey } from './tenant-key-wrapping.ts';

const pageSize = 500;
const atOnce = 8;

/** Thrown before anything is served or written. The message is for the person who starts the server. */
export class WrongRootKeyError extends Error {
  constructor(rootKeys: RootKeys, expected: string) {
    const configured = rootKeys.ids.join(' and ');
    super(
      `Wrong root key: this database was sealed with ${expected}, but the configured key is ${configured}. ` +
        `Nothing was changed. Configure the key with the fingerprint ${expected}, or point to the database that belongs to ${configured}.`,
    );
    this.name = 'WrongRootKeyError';
  }
}

/**
 * Opens the canary of every key version of every tenant, so that a wrong or damaged key is found before it is used.
 * Returns the number of keys checked. Keys that are wrapped by an own root key of their tenant are left out: whatever
 * happened to it must not stop a server.
 */
export async function requireRootKeyOpensEverything(database: Database, rootKeys: RootKeys): Promise<number> {
  let checked = 0;
  for await (const page of tenantKeyPages(database, pageSize)) {
    const ours = page.filter(({ rootKey }) => ownKeyNameOf(rootKey) === undefined);
    // Several keys are checked at once, because a key service takes milliseconds per call and a vault may have
    // thousands of keys.
    for (let at = 0; at < ours.length; at += atOnce) {
      await Promise.all(ours.slice(at, at + atOnce).map((key) => requireOpens(rootKeys, key)));
    }
    checked += ours.length;
  }
  return checked;
}

async function requireOpens(rootKeys: RootKeys, key: WrappedTenantKey): Promise<void> {
  if (!rootKeys.has(key.rootKey)) throw new WrongRootKeyError(rootKeys, key.rootKey);
  try {
    await unwrapKey(rootKeys, key);
  } catch (error) {
    if (!(error instanceof RootKeyMismatch || error instanceof SealedRecordError)) {
      throw new Error(
        `The key service of root key ${key.rootKey} cannot be reached. Nothing was changed. Try again when it is available.`,
        { cause: error },
      );
    }
    throw damaged(key, error);
  }
}

/** Returns the error for a key that its root key does not unwrap. */
function damaged(key: WrappedTenantKey, cause: unknown): Error {
  return new Error(
    `The ${key.purpose} key version ${key.version} of tenant ${key.tenantId} cannot be unwrapped with root key ${key.rootKey}: ` +
      'its row is damaged. Restore the table tenant_keys from a backup before starting.',
    { cause },
  );
}
