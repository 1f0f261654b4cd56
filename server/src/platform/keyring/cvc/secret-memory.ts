import { randomFillSync } from 'node:crypto';

export const secretLength = 32;

/**
 * Returns 32 random bytes in dedicated memory. A small typed array may be inside the JavaScript heap, where the garbage
 * collector moves it and leaves old copies behind. An explicit ArrayBuffer is never moved, so overwriting it with zeros
 * removes the only copy.
 */
export function makeSecret(): Buffer {
  return randomFillSync(emptySecret());
}

/** Moves a secret to dedicated memory and wipes the source. */
export function moveSecret(source: Buffer): Buffer {
  if (source.length !== secretLength) throw new TypeError('A secret has 32 bytes.');
  const secret = emptySecret();
  source.copy(secret);
  source.fill(0);
  return secret;
}

function emptySecret(): Buffer {
  return Buffer.from(new ArrayBuffer(secretLength));
}
