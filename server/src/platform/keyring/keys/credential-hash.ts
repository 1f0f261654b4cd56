import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Hashes a credential. Secrets have 256 random bits, so a fast keyed hash is enough. A slow hash would only make it
 * easier to overload the server.
 */
export function hashCredential(key: KeyObject, secret: Uint8Array): Buffer {
  return createHmac('sha256', key).update('strongroom/credential/1').update(secret).digest();
}
