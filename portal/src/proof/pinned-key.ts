import type { TrustedKey } from './verify-proof.ts';

const storageKey = (tenantId: string) => `strongroom.audit-key.${tenantId}`;

/** Returns the key that the user has compared and pinned in this browser. */
export function findPinnedKey(tenantId: string): TrustedKey | undefined {
  const text = localStorage.getItem(storageKey(tenantId));
  if (text === null) return undefined;
  const [version = '', key = ''] = text.split(' ');
  return { version: Number(version), key };
}

export function pinKey(tenantId: string, { version, key }: TrustedKey): void {
  localStorage.setItem(storageKey(tenantId), `${version} ${key}`);
}

export function unpinKey(tenantId: string): void {
  localStorage.removeItem(storageKey(tenantId));
}
