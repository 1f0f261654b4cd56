import { createHmac, type KeyObject } from 'node:crypto';

const blockLengths = { sha256: 32, sha512: 64 } as const;

/**
 * Computes the second half of HKDF (RFC 5869 §2.3): T(n) = HMAC(key, T(n−1) ‖ info ‖ n). The first half is only needed
 * for keys that are not uniformly random, but the vault's keys are.
 */
export function hkdfExpand(
  key: KeyObject,
  info: Buffer,
  output: { readonly hash: keyof typeof blockLengths; readonly length: number },
): Buffer {
  const blockCount = Math.ceil(output.length / blockLengths[output.hash]);
  if (blockCount < 1 || blockCount > 255) throw new RangeError('HKDF gives between one byte and 255 blocks.');
  const first = expandOnce(key, output.hash, [info, Buffer.of(1)]);
  if (blockCount === 1) return first.subarray(0, output.length);
  const blocks = [first];
  for (let counter = 2; counter <= blockCount; counter += 1) {
    blocks.push(expandOnce(key, output.hash, [...blocks.slice(-1), info, Buffer.of(counter)]));
  }
  return Buffer.concat(blocks, output.length);
}

function expandOnce(key: KeyObject, hash: keyof typeof blockLengths, parts: readonly Buffer[]): Buffer {
  return createHmac(hash, key).update(Buffer.concat(parts)).digest();
}
