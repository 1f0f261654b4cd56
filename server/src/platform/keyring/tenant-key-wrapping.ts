import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { TenantId } from '../../core/identity/ids.ts';
import type { RootKey } from './kms/root-key.ts';
import { openRecord, type RecordBinding, sealRecord } from './sealed-record.ts';
import type { WrappedTenantKey } from './tenant-key-store.ts';
import type { TenantKeyPurpose } from './tenant-keyring.ts';

const canaryText = Buffer.from('strongroom canary', 'utf8');

/** Makes a fresh key and returns only its wrapped form. */
export async function makeWrappedKey(
  rootKey: RootKey,
  place: { readonly tenantId: TenantId; readonly purpose: TenantKeyPurpose; readonly version: number },
): Promise<WrappedTenantKey> {
  const bytes = randomBytes(32);
  const wrapped = await rootKey.wrap(bytes, { tenant: place.tenantId, purpose: place.purpose, version: place.version });
  const key = createSecretKey(bytes);
  bytes.fill(0);
  const canary = sealRecord(canaryText, canaryBinding(place), { version: place.version, key });
  return { ...place, rootKey: rootKey.id, wrapped, canary };
}

/** Unwraps a key and proves on its canary that it is the one the tenant's records were sealed with. */
export async function unwrapKey(rootKey: RootKey, wrapped: WrappedTenantKey): Promise<KeyObject> {
  const { tenantId, purpose, version } = wrapped;
  const bytes = await rootKey.unwrap(wrapped.wrapped, { tenant: tenantId, purpose, version });
  const key = createSecretKey(bytes);
  bytes.fill(0);
  openRecord(wrapped.canary, canaryBinding(wrapped), { version, key });
  return key;
}

function canaryBinding(place: { tenantId: TenantId; purpose: TenantKeyPurpose; version: number }): RecordBinding {
  return { tenantId: place.tenantId, tokenId: '', field: 'canary', recordVersion: place.version, type: place.purpose };
}
