import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { decryptGcm, encryptGcm, type GcmInput, gcmTagLength } from '../../sealing/aes-gcm.ts';
import type { RootKeyConfig } from '../open-root-key.ts';
import {
  keyLength,
  requireKeyLength,
  type RootKey,
  RootKeyMismatch,
  type WrapContext,
  wrapContextBytes,
} from '../root-key.ts';

/*
 * A wrapped key is: format 1 (1 byte) ‖ nonce (12) ‖ ciphertext (32) ‖ tag (16). Random nonces are safe here, because
 * an installation wraps thousands of keys, and AES-GCM allows 2³².
 */
const format = 1;
const nonceLength = 12;
const wrappedLength = 1 + nonceLength + keyLength + gcmTagLength;

/** A root key that the operator supplies as 32 bytes. It is for development and small installations. */
export class FileRootKey implements RootKey {
  readonly id: string;
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    if (key.length !== keyLength) throw new TypeError('A root key has 32 bytes.');
    this.#key = createSecretKey(key);
    this.id = `file:${createHmac('sha256', this.#key).update('strongroom/root-key-id/1').digest('hex').slice(0, 16)}`;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    const nonce = randomBytes(nonceLength);
    const { ciphertext, tag } = encryptGcm(key, this.#input(nonce, context));
    return Buffer.concat([Buffer.of(format), nonce, ciphertext, tag]);
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (wrapped.length !== wrappedLength || wrapped[0] !== format) throw new RootKeyMismatch();
    const nonce = wrapped.subarray(1, 1 + nonceLength);
    const ciphertext = wrapped.subarray(1 + nonceLength, -gcmTagLength);
    const tag = wrapped.subarray(-gcmTagLength);
    const key = decryptGcm({ ciphertext, tag }, this.#input(nonce, context));
    if (key === undefined) throw new RootKeyMismatch();
    return key;
  }

  async close(): Promise<void> {
    // There is nothing to close. The key object is freed when the process ends.
  }

  #input(nonce: Buffer, context: WrapContext): GcmInput {
    return { key: this.#key, nonce, associatedData: wrapContextBytes(context) };
  }
}

/** Returns the configuration of a root key whose bytes are known. */
export function fileRootKeyConfig(key: Buffer): RootKeyConfig {
  return { kind: 'file', open: async () => new FileRootKey(key) };
}

/** Parses the text form of a root key: 32 bytes as base64 or hexadecimal. */
export function parseRootKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const bytes = Buffer.from(trimmed, 'base64');
  return /^[A-Za-z0-9+/]{43}=$/.test(trimmed) && bytes.length === keyLength ? bytes : undefined;
}

export function generateRootKey(): string {
  return randomBytes(keyLength).toString('base64');
}
