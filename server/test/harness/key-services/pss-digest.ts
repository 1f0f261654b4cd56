import { constants, createHash, type KeyObject, privateEncrypt, randomBytes } from 'node:crypto';

const hashLength = 32;
const sha256 = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** Signs a digest with RSA-PSS (RFC 8017, section 9.1.1), as services do that never see the message. */
export function signDigestAsPss(key: KeyObject, digest: Buffer): Buffer {
  const length = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const salt = randomBytes(hashLength);
  const hash = sha256(Buffer.alloc(8), digest, salt);
  const block = Buffer.concat([Buffer.alloc(length - 2 * hashLength - 2), Buffer.of(1), salt]);
  const mask = maskOf(hash, block.length);
  block.forEach((byte, at) => {
    block[at] = byte ^ (mask[at] ?? 0);
  });
  block[0] = (block[0] ?? 0) & 0x7f;
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, Buffer.concat([block, hash, Buffer.of(0xbc)]));
}

/** The mask generation function MGF1 with SHA-256 (RFC 8017, appendix B.2.1). */
function maskOf(seed: Buffer, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; counter * hashLength < length; counter += 1) {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(counter);
    parts.push(sha256(seed, octets));
  }
  return Buffer.concat(parts).subarray(0, length);
}
