import type { ApplicationKeyId } from '../../core/identity/ids.ts';
import { decodeKeyId } from '../../platform/keyring/sign-in/api-key.ts';

/** Tells which pages may use a key; implemented by the applications feature. */
export interface AllowedOriginFinder {
  /** Undefined for a key that is unknown, expired, or not of a public application; empty for one without a list. */
  findAllowedOrigins(keyId: ApplicationKeyId): Promise<readonly string[] | undefined>;
}

/** `text` is the part of a key that names it, as a page has put it into an address. */
export async function findOriginsOf(
  finder: AllowedOriginFinder,
  text: unknown,
): Promise<readonly string[] | undefined> {
  const keyId = typeof text === 'string' ? decodeKeyId(text) : undefined;
  return keyId === undefined ? undefined : finder.findAllowedOrigins(keyId);
}
