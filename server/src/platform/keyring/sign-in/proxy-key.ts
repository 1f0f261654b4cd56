import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../../core/identity/base58.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { sha256 } from '../sealing/sha256.ts';

const prefix = 'proxy_';
const form = /^proxy_[1-9A-HJ-NP-Za-km-z]{40,46}$/;
const secretBytes = 32;

/** Generates the key of a stored proxy, from 256 random bits. */
export function generateProxyKey(): Sensitive<string> {
  return new Sensitive(`${prefix}${encodeBase58(randomBytes(secretBytes))}`);
}

/**
 * Returns the hash under which a key is stored; undefined for a text that cannot be a key. A plain hash is enough,
 * because nobody can try 256 random bits.
 */
export function hashProxyKey(text: string): Buffer | undefined {
  return form.test(text) ? sha256(Buffer.from(text, 'latin1')) : undefined;
}
