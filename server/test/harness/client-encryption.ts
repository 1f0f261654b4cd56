import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
} from 'node:crypto';

/** A client key as `POST /keys` returns it. */
export interface PublishedKey {
  readonly key_id: string;
  readonly public_key_pem: string;
}

/** The prefix of an X25519 public key in DER (RFC 8410 §4). */
const derPrefix = Buffer.from('302a300506032b656e032100', 'hex');
const lengthOf = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/**
 * Encrypts a text in the way that the published clients for iOS, Android and React Native do: ECDH-ES (RFC 7518 §4.6)
 * over X25519, with the key between the PEM lines read as 32 bytes. It shares no code with the vault.
 */
export function encryptForVault(
  text: string,
  { key_id: kid, public_key_pem: pem }: PublishedKey,
  changes: Readonly<Record<string, unknown>> = {},
): string {
  const raw = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const publicKey = createPublicKey({ key: Buffer.concat([derPrefix, raw]), format: 'der', type: 'spki' });
  const ephemeral = generateKeyPairSync('x25519');
  const shared = diffieHellman({ privateKey: ephemeral.privateKey, publicKey });
  const encryption = Buffer.from('A256GCM');
  const key = createHash('sha256')
    .update(Buffer.concat([lengthOf(1), shared, lengthOf(7), encryption, lengthOf(0), lengthOf(0), lengthOf(256)]))
    .digest();
  const x = ephemeral.publicKey.export({ format: 'jwk' }).x;
  const header = { alg: 'ECDH-ES', kid, enc: 'A256GCM', epk: { kty: 'OKP', crv: 'X25519', x }, ...changes };
  const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(encodedHeader));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [nonce, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [encodedHeader, '', ...parts].join('.');
}
