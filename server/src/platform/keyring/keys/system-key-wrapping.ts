import { randomBytes } from 'node:crypto';
import { RootKeyMismatch, type WrapContext } from '../kms/root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import type { SystemKeyPurpose, WrappedSystemKey } from './system-key-store.ts';
import { wrapForGood } from './tenant-key-wrapping.ts';

export async function unwrapSystemKey(row: WrappedSystemKey, rootKeys: RootKeys): Promise<Buffer> {
  try {
    return await rootKeys.unwrap(row.rootKey, row.wrapped, systemWrapContext(row.purpose));
  } catch (error) {
    if (!(error instanceof RootKeyMismatch)) throw error;
    throw new Error(
      `The ${row.purpose} key of the installation cannot be unwrapped with root key ${row.rootKey}: its row is damaged. ` +
        'Restore the table system_keys from a backup before starting.',
      { cause: error },
    );
  }
}

/** Returns the same key, wrapped by the current root key. */
export async function rewrapSystemKey(row: WrappedSystemKey, rootKeys: RootKeys): Promise<WrappedSystemKey> {
  const bytes = await unwrapSystemKey(row, rootKeys);
  return { ...row, ...(await wrapForGood(rootKeys, bytes, { context: systemWrapContext(row.purpose) })) };
}

/** Creates a random key that is wrapped by the current root key and not stored yet. */
export async function createSystemKey(purpose: SystemKeyPurpose, rootKeys: RootKeys): Promise<WrappedSystemKey> {
  return { purpose, ...(await wrapForGood(rootKeys, randomBytes(32), { context: systemWrapContext(purpose) })) };
}

export function systemWrapContext(purpose: SystemKeyPurpose): WrapContext {
  return { tenant: 'system', purpose, version: 1 };
}
