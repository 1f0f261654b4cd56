import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { hkdfExpand } from './hkdf-expand.ts';

/** The DER prefixes of a 32-byte Ed25519 key (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs checkpoints of the audit log. The public key lets anyone verify them. */
export class AuditSigner {
  readonly #privateKey: KeyObject;
  /** The Ed25519 public key, 32 bytes. */
  readonly publicKey: Buffer;

  constructor(systemKey: KeyObject) {
    const seed = hkdfExpand(systemKey, Buffer.from('strongroom/audit-signature/1'), { hash: 'sha512', length: 32 });
    this.#privateKey = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
    const exported = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' });
    this.publicKey = exported.subarray(publicPrefix.length);
  }

  sign(text: string): Buffer {
    return sign(null, Buffer.from(text, 'utf8'), this.#privateKey);
  }
}

/** Returns true if the signature is valid for exactly this text and key. */
export function isSignedBy(publicKey: Buffer, text: string, signature: Buffer): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  return verify(null, Buffer.from(text, 'utf8'), toKey(publicKey), signature);
}

/** The last key used. It is cached because thousands of consecutive signatures are verified with the same key. */
let last: { readonly bytes: Buffer; readonly key: KeyObject } | undefined;

function toKey(bytes: Buffer): KeyObject {
  if (last?.bytes.equals(bytes) !== true) {
    last = { bytes, key: createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' }) };
  }
  return last.key;
}
