import { isUtf8 } from 'node:buffer';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { isUuid } from '../../../core/identity/ids.ts';
import type { ClientPrivateKey } from './client-key-pair.ts';

/*
 * Data that a client encrypted, as a JWE in compact serialization (RFC 7516 §7.1):
 *
 *   header . (empty: ECDH-ES has no encrypted key) . nonce . ciphertext . tag
 *
 * Published clients agree on a key with ECDH-ES over X25519 (RFC 8037 §3.2) and encrypt with A256GCM. Nothing else is
 * accepted: each further algorithm is one more way to attack the vault's private keys.
 */
const algorithm = 'ECDH-ES';
const encryption = 'A256GCM';

/** Headers of published clients have about 150 characters. */
const headerLengthMax = 1_000;
/** Base64url of 12 and 16 bytes. */
const nonceLength = 16;
const tagLength = 22;
const headerMembers: ReadonlySet<string> = new Set(['alg', 'enc', 'epk', 'kid', 'typ', 'cty']);
const ephemeralKeyMembers: ReadonlySet<string> = new Set(['kty', 'crv', 'x']);

/** Encrypted data whose form is valid. Whether it can be decrypted is not known yet. */
export interface EncryptedData {
  readonly text: string;
  /** The id of the client key that it was encrypted with. */
  readonly keyId: string;
}

/** Returns the data, or undefined if it is not what published clients produce. */
export function parseEncryptedData(text: string): EncryptedData | undefined {
  const [header = '', encryptedKey, nonce = '', ciphertext = '', tag = '', ...rest] = text.split('.', 6);
  if (rest.length > 0 || encryptedKey !== '' || header.length > headerLengthMax) return undefined;
  if (nonce.length !== nonceLength || tag.length !== tagLength) return undefined;
  if (![header, nonce, ciphertext, tag].every(isCanonical)) return undefined;
  const keyId = findKeyId(parseHeader(header));
  return keyId === undefined ? undefined : { text, keyId };
}

/** Decrypts the data. Returns undefined for every reason why that can fail, because they must not be told apart. */
export async function decryptData(data: EncryptedData, key: ClientPrivateKey): Promise<Sensitive<string> | undefined> {
  // Most vaults never get encrypted data, so the package is loaded for the first that arrives.
  const { compactDecrypt } = await import('jose');
  try {
    const { plaintext } = await compactDecrypt(data.text, key, {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: [encryption],
    });
    const bytes = Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength);
    const decrypted = isUtf8(bytes) ? new Sensitive(bytes.toString('utf8')) : undefined;
    bytes.fill(0);
    return decrypted;
  } catch {
    return undefined;
  }
}

/**
 * Returns true for base64url in its only valid spelling. Decoders ignore the bits that remain in the last character, so
 * two texts could otherwise be the same data.
 */
function isCanonical(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;
}

function parseHeader(text: string): JsonObject | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (!isUtf8(bytes)) return undefined;
  try {
    const header = parseJson(bytes.toString('utf8'), { depthMax: 3, valuesMax: 20 });
    return isJsonObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the key id of an acceptable header. */
function findKeyId(header: JsonObject | undefined): string | undefined {
  if (header === undefined || !Object.keys(header).every((name) => headerMembers.has(name))) return undefined;
  const { alg, enc, epk = null, kid } = header;
  if (alg !== algorithm || enc !== encryption || !isEphemeralKey(epk)) return undefined;
  return typeof kid === 'string' && isUuid(kid) ? kid : undefined;
}

function isEphemeralKey(key: JsonObject[string]): boolean {
  if (!isJsonObject(key) || !Object.keys(key).every((name) => ephemeralKeyMembers.has(name))) return false;
  const { kty, crv, x } = key;
  return kty === 'OKP' && crv === 'X25519' && typeof x === 'string' && x.length === 43 && isCanonical(x);
}
