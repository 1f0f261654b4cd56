import { invalidField } from '../../core/errors/domain-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { findTokenType } from '../../core/token-types/token-type-catalog.ts';
import type { EncryptedPart } from '../tokens/index.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';

const header = 'bt-encrypted';
const lengthMax = 16 * 1024;
const partsMax = 10;
const partName = /^[A-Za-z_][A-Za-z0-9_]{0,49}$/;

/**
 * Reads data that a client has encrypted for this call from `BT-ENCRYPTED`: base64 of `{"type", "encrypted"}`, or of
 * several of these with names. Nothing is decrypted yet.
 */
export function readEncryptedHeader({ headers, isPlain = false }: ProxyRequest): readonly EncryptedPart[] {
  const text = headerOf(headers, header);
  if (text === undefined || isPlain) return [];
  const value = text.length <= lengthMax ? parse(text) : undefined;
  if (!isJsonObject(value)) throw invalid();
  if (typeof value['encrypted'] === 'string') return [toPart(undefined, value)];
  const parts = Object.entries(value).map(([name, part]) => {
    if (!isJsonObject(part) || !partName.test(name)) throw invalid();
    return toPart(name, part);
  });
  if (parts.length === 0 || parts.length > partsMax) throw invalid();
  return parts;
}

function toPart(name: string | undefined, { type, encrypted }: JsonObject): EncryptedPart {
  if (typeof encrypted !== 'string' || typeof type !== 'string' || findTokenType(type) === undefined) throw invalid();
  return { name, type, encrypted };
}

function parse(text: string): JsonValue | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  try {
    return parseJson(Buffer.from(text, 'base64').toString('utf8'), { depthMax: 3, valuesMax: 100 });
  } catch {
    return undefined;
  }
}

function invalid() {
  return invalidField(
    'bt-encrypted',
    `must be base64 of {"type": …, "encrypted": …}, or of at most ${partsMax} of these with names`,
  );
}
