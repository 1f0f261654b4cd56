import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import { makeSecret } from './secret-memory.ts';

/** The prefixes of a 32-byte key in the encoding of RFC 8410 §4 and §7, which Node reads and writes. */
const publicPrefix = Buffer.from('302a300506032b656e032100', 'hex');
const privatePrefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
export const publicKeyLength = 32;

/**
 * A key pair whose private key is stored as bytes that can be wiped. Node's own key object would stay in memory until
 * the garbage collector frees it, which can take hours for an old object. The key objects created here live for one
 * operation.
 */
export interface KeyPair {
  readonly publicKey: Buffer;
  readonly secret: Buffer;
}

export function makeKeyPair(): KeyPair {
  const secret = makeSecret();
  return { publicKey: publicKeyOf(secret), secret };
}

export function publicKeyOf(secret: Buffer): Buffer {
  return createPublicKey(toPrivateKey(secret)).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length);
}

/** Returns the shared secret, or undefined for a public key of low order, which would make it predictable. */
export function agree(secret: Buffer, publicKey: Buffer): Buffer | undefined {
  const theirs = createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' });
  try {
    return diffieHellman({ privateKey: toPrivateKey(secret), publicKey: theirs });
  } catch {
    // OpenSSL rejects an all-zero result (RFC 7748 §6.1), and has no other reason to fail here.
    return undefined;
  }
}

function toPrivateKey(secret: Buffer): KeyObject {
  const encoded = Buffer.alloc(privatePrefix.length + secret.length);
  privatePrefix.copy(encoded);
  secret.copy(encoded, privatePrefix.length);
  const key = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  encoded.fill(0);
  return key;
}
