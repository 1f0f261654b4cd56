import { randomFillSync } from 'node:crypto';

export const secretLength = 32;

/**
 * 32 random bytes in dedicated memory. A small typed array may be inside the JavaScript heap, where the garbage
 * collector moves it and leaves old copies behind; an explicit ArrayBuffer stays where it is, so that
 * overwriting it with zeros removes the only copy.
 */
export function makeSecret(): Buffer {
  return randomFillSync(emptySecret());
}

/** Moves a secret to dedicated memory: the source is wiped. */
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
