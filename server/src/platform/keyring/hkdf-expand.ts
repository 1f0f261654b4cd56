import { createHmac, type KeyObject } from 'node:crypto';

const blockLengths = { sha256: 32, sha512: 64 } as const;

/**
 * The second half of HKDF, RFC 5869 §2.3: T(n) = HMAC(key, T(n−1) ‖ info ‖ n). The first half is for keys that are not
 * uniformly random; ours are.
 */
export function hkdfExpand(
  key: KeyObject,
  info: Buffer,
  output: { readonly hash: keyof typeof blockLengths; readonly length: number },
): Buffer {
  const blockCount = Math.ceil(output.length / blockLengths[output.hash]);
  if (blockCount < 1 || blockCount > 255) throw new RangeError('HKDF gives between one byte and 255 blocks.');
  const blocks: Buffer[] = [];
  let previous: Buffer = Buffer.alloc(0);
  for (let counter = 1; counter <= blockCount; counter += 1) {
    const message = Buffer.concat([previous, info, Buffer.of(counter)]);
    previous = createHmac(output.hash, key).update(message).digest();
    blocks.push(previous);
  }
  return blocks.length === 1 ? previous.subarray(0, output.length) : Buffer.concat(blocks, output.length);
}
