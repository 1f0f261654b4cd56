import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Sensitive } from '../../../core/identity/sensitive.ts';

const generate = promisify(generateKeyPair);

/** The length of an X25519 public key (RFC 7748 §5). It is the end of the DER encoding (RFC 8410 §4). */
const publicKeyLength = 32;

export interface ClientKeyPair {
  /**
   * The public key between PEM lines. Published clients decode the text between the lines to the 32 bytes of the key,
   * so it is not the DER structure that RFC 7468 §13 asks for.
   */
  readonly publicKeyPem: string;
  /** PKCS #8 (RFC 8410 §7) as base64. */
  readonly privateKey: Sensitive<string>;
}

/** Creates an X25519 key pair. The private half never leaves the vault. */
export async function createClientKeyPair(): Promise<ClientKeyPair> {
  const { publicKey, privateKey } = await generate('x25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-publicKeyLength);
  return {
    publicKeyPem: `-----BEGIN PUBLIC KEY-----\n${bytes.toString('base64')}\n-----END PUBLIC KEY-----`,
    privateKey: new Sensitive(privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')),
  };
}

/** The private half of a client key, ready for use. */
export type ClientPrivateKey = KeyObject;

export function parsePrivateKey(text: Sensitive<string>): ClientPrivateKey {
  return createPrivateKey({ key: Buffer.from(text.reveal(), 'base64'), format: 'der', type: 'pkcs8' });
}
