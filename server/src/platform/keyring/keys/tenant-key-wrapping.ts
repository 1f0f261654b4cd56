import { createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '../../../core/identity/ids.ts';
import { ownKeyNameOf } from '../kms/own-root-key.ts';
import type { WrapContext } from '../kms/root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { openRecord, type RecordBinding, sealRecord } from '../sealing/sealed-record.ts';
import type { WrappedTenantKey } from './tenant-key-store.ts';
import type { TenantKeyPurpose } from './tenant-keyring.ts';

const canaryText = Buffer.from('strongroom canary', 'utf8');

interface KeyName {
  readonly tenantId: TenantId;
  readonly purpose: TenantKeyPurpose;
  readonly version: number;
}

/** Creates a new key and returns only its wrapped form. It is wrapped by the own root key of that name, if any. */
export async function makeWrappedKey(rootKeys: RootKeys, name: KeyName, ownKey?: string): Promise<WrappedTenantKey> {
  return wrapTenantKey(rootKeys, randomBytes(32), name, ownKey);
}

/** Wraps a key and adds its canary. The bytes are wiped. */
export async function wrapTenantKey(
  rootKeys: RootKeys,
  bytes: Buffer,
  name: KeyName,
  ownKey?: string,
): Promise<WrappedTenantKey> {
  const key = createSecretKey(bytes);
  const { rootKey, wrapped } = await wrapForGood(rootKeys, bytes, { context: wrapContext(name), ownKey });
  const canary = sealRecord(canaryText, canaryBinding(name), { version: name.version, key });
  return { ...name, rootKey, wrapped, canary };
}

/** Unwraps a key and verifies with its canary that it is the key with which the tenant's records were sealed. */
export async function unwrapKey(rootKeys: Pick<RootKeys, 'unwrap'>, wrapped: WrappedTenantKey): Promise<KeyObject> {
  const bytes = await rootKeys.unwrap(wrapped.rootKey, wrapped.wrapped, wrapContext(wrapped));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  openRecord(wrapped.canary, canaryBinding(wrapped), { version: wrapped.version, key });
  return key;
}

/**
 * Returns the same key, wrapped by the own root key of that name, or by the current root key of the vault. The result
 * is unwrapped again and compared.
 */
export async function rewrapKey(rootKeys: RootKeys, old: WrappedTenantKey, ownKey?: string): Promise<WrappedTenantKey> {
  const key = await unwrapKey(rootKeys, old);
  const fresh = await wrapForGood(rootKeys, key.export(), { context: wrapContext(old), ownKey });
  return { ...old, ...fresh };
}

/**
 * Returns the same key, wrapped by a root key of another cell. A root key of the tenant's own wraps it in both cells,
 * under the name that it has in the settings of both.
 */
export async function rewrapKeyFor(
  { from, to }: { readonly from: RootKeys; readonly to: RootKeys },
  old: WrappedTenantKey,
): Promise<WrappedTenantKey> {
  const key = await unwrapKey(from, old);
  const ownKey = ownKeyNameOf(old.rootKey);
  const fresh = await wrapForGood(to, key.export(), { context: wrapContext(old), ownKey });
  return { ...old, ...fresh };
}

/**
 * Wraps bytes, unwraps them again and compares, because the stored key must yield the same bytes. The bytes are wiped.
 */
export async function wrapForGood(
  rootKeys: RootKeys,
  bytes: Buffer,
  { context, ownKey }: { readonly context: WrapContext; readonly ownKey?: string | undefined },
): Promise<{ readonly rootKey: string; readonly wrapped: Buffer }> {
  const fresh = await rootKeys.wrap(bytes, context, ownKey);
  const again = await rootKeys.unwrap(fresh.rootKey, fresh.wrapped, context);
  const isSame = timingSafeEqual(again, bytes);
  bytes.fill(0);
  again.fill(0);
  if (!isSame) throw new Error(`Root key ${fresh.rootKey} does not unwrap what it wrapped. Nothing was changed.`);
  return fresh;
}

function wrapContext({ tenantId, purpose, version }: KeyName): WrapContext {
  return { tenant: tenantId, purpose, version };
}

function canaryBinding(name: KeyName): RecordBinding {
  return { tenantId: name.tenantId, tokenId: '', field: 'canary', recordVersion: name.version, type: name.purpose };
}
