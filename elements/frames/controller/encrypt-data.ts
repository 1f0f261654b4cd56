import { RefusedCall } from './refused-call.ts';

/** The parameters of the JWE that the vault accepts (RFC 7518 §4.6 and §5.3). */
const encryption = 'A256GCM';
const keyBits = 256;
const nonceBytes = 12;
const publicKeyBytes = 32;

/** The public half of a client key. */
export interface PublicKey {
  readonly id: string;
  /** The 32 bytes of an X25519 key, as base64 between PEM lines. */
  readonly pem: string;
}

/** Returns the bytes of a key. Undefined for a text that is none. */
export function bytesOf(pem: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    return bytes.length === publicKeyBytes ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Encrypts a text for a client key, as a JWE in compact serialization with ECDH-ES over X25519. */
export async function encryptText(text: string, { id, pem }: PublicKey): Promise<string> {
  const { subtle } = crypto;
  const ephemeral = await makeEphemeralKey();
  const recipient = await subtle.importKey('raw', bytesOf(pem) ?? new Uint8Array(), 'X25519', false, []);
  const shared = await subtle.deriveBits({ name: 'X25519', public: recipient }, ephemeral.privateKey, keyBits);
  const key = await subtle.importKey('raw', await deriveKey(new Uint8Array(shared)), 'AES-GCM', false, ['encrypt']);
  const { x } = await subtle.exportKey('jwk', ephemeral.publicKey);
  const header = encodeText(
    JSON.stringify({ alg: 'ECDH-ES', enc: encryption, kid: id, epk: { kty: 'OKP', crv: 'X25519', x } }),
  );
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const parameters = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(header) };
  const sealed = new Uint8Array(await subtle.encrypt(parameters, key, new TextEncoder().encode(text)));
  const tagStart = sealed.length - 16;
  return [header, '', encode(iv), encode(sealed.subarray(0, tagStart)), encode(sealed.subarray(tagStart))].join('.');
}

async function makeEphemeralKey(): Promise<CryptoKeyPair> {
  try {
    return await crypto.subtle.generateKey('X25519', true, ['deriveBits']);
  } catch {
    throw new RefusedCall('tokens.encrypt needs a browser with X25519.');
  }
}

/** Derives the key from the shared secret (RFC 7518 §4.6.2, with one round). */
async function deriveKey(shared: Uint8Array): Promise<ArrayBuffer> {
  const algorithm = new TextEncoder().encode(encryption);
  const parts = [
    numberOf(1),
    shared,
    numberOf(algorithm.length),
    algorithm,
    numberOf(0),
    numberOf(0),
    numberOf(keyBits),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return crypto.subtle.digest('SHA-256', bytes);
}

function numberOf(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function encodeText(text: string): string {
  return encode(new TextEncoder().encode(text));
}

function encode(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
