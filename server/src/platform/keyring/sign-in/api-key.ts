import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toId } from '../../../core/identity/ids.ts';
import { decodeBase58, encodeBase58 } from '../../../core/identity/base58.ts';
import type { ApplicationKeyId } from '../../../core/identity/ids.ts';

/*
 * key_<test|prod>_<pvt|pub|mgt|sess>_<random>_<checksum>
 * key_<test|prod>_<cell>_<pvt|pub|mgt|sess>_<random>_<checksum>
 *
 *   cell      the name of the cell that created the key, if it has one
 *   random    base58 of the 16 bytes of the key's id (22 characters) and of 32 secret bytes (44 characters)
 *   checksum  base58 of the CRC-32 of everything before it (6 characters)
 *
 * A key has at most 100 characters. The checksum is not secret. With it, the vault and secret scanners can recognise
 * keys and typing errors without querying a database.
 */
const idLength = 16;
const secretLength = 32;
const idCharacters = 22;

export type KeyEnvironment = 'test' | 'prod';
export type KeyKind = 'pvt' | 'pub' | 'mgt' | 'sess';

/** The name of a cell: a letter, then up to 11 letters and digits. */
const cellPattern = /^[a-z][a-z0-9]{0,11}$/;

export interface ApiKey {
  /** The cell that created the key. Undefined if it had no name. */
  readonly cell: string | undefined;
  readonly kind: KeyKind;
  readonly id: ApplicationKeyId;
  readonly secret: Uint8Array;
}

/**
 * Generates a key. Its text is returned to the caller once, and the database stores only a keyed hash of its secret.
 */
export function generateApiKey(
  environment: KeyEnvironment,
  kind: KeyKind,
  cell?: string,
): ApiKey & { readonly text: string } {
  const id = toId<ApplicationKeyId>(crypto.randomUUID());
  const secret = randomBytes(secretLength);
  const place = cell === undefined ? environment : `${environment}_${cell}`;
  const body = `key_${place}_${kind}_${encodeBase58(uuidBytes(id))}${encodeBase58(secret)}`;
  return { cell, kind, id, secret, text: `${body}_${checksum(body)}` };
}

/** Parses a key. Returns undefined for anything that cannot be a key, which saves a lookup. */
export function parseApiKey(text: string): ApiKey | undefined {
  const [prefix, environment, ...parts] = text.split('_');
  const cell = parts.length === 4 ? parts.shift() : undefined;
  const [kind, random = '', sum, ...rest] = parts;
  const isKnown = prefix === 'key' && ['test', 'prod'].includes(environment ?? '') && isKind(kind);
  if (!isKnown || rest.length > 0 || (cell !== undefined && !isCellName(cell))) return undefined;
  if (sum !== checksum(text.slice(0, text.lastIndexOf('_')))) return undefined;

  const id = decodeKeyId(random.slice(0, idCharacters));
  const secret = decodeBase58(random.slice(idCharacters), secretLength);
  return id === undefined || secret === undefined ? undefined : { cell, kind, id, secret };
}

/** Returns a digest that identifies the text of a key. The key cannot be derived from it. */
export function digestApiKey(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Returns the id of a key from the part of its text that is not secret: the first 22 characters of `random`. */
export function decodeKeyId(text: string): ApplicationKeyId | undefined {
  const bytes = decodeBase58(text, idLength);
  return bytes === undefined ? undefined : toUuid(bytes);
}

/** Returns the part of a key's text that encodes its id. Routers find moved keys by it. */
export function encodeKeyId(id: string): string {
  return encodeBase58(uuidBytes(id));
}

/** Generates a one-time code of 256 random bits as base58. */
export function generateNonce(): { readonly secret: Uint8Array; readonly text: string } {
  const secret = randomBytes(secretLength);
  return { secret, text: encodeBase58(secret) };
}

export function parseNonce(text: string): Uint8Array | undefined {
  return decodeBase58(text, secretLength);
}

/** Returns true for a name that a cell can have. The kinds of keys are no such names, because they take its place. */
export function isCellName(text: string): boolean {
  return cellPattern.test(text) && !isKind(text);
}

function isKind(text: string | undefined): text is KeyKind {
  return text === 'pvt' || text === 'pub' || text === 'mgt' || text === 'sess';
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return encodeBase58(bytes);
}

function uuidBytes(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function toUuid(bytes: Uint8Array): ApplicationKeyId {
  const hex = Buffer.from(bytes).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return toId(parts.join('-'));
}
