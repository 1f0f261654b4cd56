import type { ApplicationKeyId } from '../../core/identity/ids.ts';
import { decodeKeyId } from '../../platform/keyring/sign-in/api-key.ts';

/** Finds the pages that may use a key. Implemented by the applications feature. */
export interface AllowedOriginFinder {
  /**
   * Returns undefined if the key is unknown, has expired, or does not belong to a public application. Returns an empty
   * list if the application has no list.
   */
  findAllowedOrigins(keyId: ApplicationKeyId): Promise<readonly string[] | undefined>;
}

/** Finds the allowed origins. `text` is the part of a key that identifies it, taken from a query string. */
export async function findOriginsOf(
  finder: AllowedOriginFinder,
  text: unknown,
): Promise<readonly string[] | undefined> {
  const keyId = typeof text === 'string' ? decodeKeyId(text) : undefined;
  return keyId === undefined ? undefined : finder.findAllowedOrigins(keyId);
}
