import { createHash, randomBytes } from 'node:crypto';
import { KeyServiceError, toKey } from '../key-service.ts';
import {
  keyLength,
  probeContext,
  requireKeyLength,
  type RootKey,
  RootKeyMismatch,
  type WrapContext,
  wrapContextBytes,
} from '../root-key.ts';
import { TransitClient, type TransitOptions } from './transit-client.ts';
import { TransitRefusal } from './transit-refusal.ts';

/*
 * A wrapped key is the ciphertext of Transit as text, `vault:v<version of the key>:<base64>`, in OpenBao too. Version 0
 * is an old notation for version 1, and the vault has never stored it.
 */
const ciphertextText = /^vault:v[1-9]\d{0,8}:[A-Za-z0-9+/]{40,1000}={0,2}$/;

/** Matches Transit's errors for a wrong ciphertext or wrong associated data. */
const mismatch = /invalid ciphertext|message authentication failed/;

const fingerprintText = Buffer.from('strongroom/root-key-id/1', 'utf8').toString('base64');

/** A root key in a Transit engine, bound to its context by associated data. */
export class TransitRootKey implements RootKey {
  readonly id: string;
  readonly #client: TransitClient;

  /**
   * Opens the key. Before anything is wrapped, this verifies that the key binds its context, because an outdated server
   * would ignore the context.
   */
  static async open(options: TransitOptions): Promise<TransitRootKey> {
    const client = new TransitClient(options);
    try {
      const rootKey = new TransitRootKey(client, await fingerprint(client));
      const probe = randomBytes(keyLength);
      const wrapped = await rootKey.wrap(probe, probeContext);
      const isSame = probe.equals(await rootKey.unwrap(wrapped, probeContext));
      if (isSame && (await rootKey.#refuses(wrapped, { ...probeContext, version: 2 }))) return rootKey;
      throw new KeyServiceError(
        'Transit does not bind a key to its context. Use a key of type aes256-gcm96 in Vault 1.13 or newer, or in OpenBao.',
        undefined,
        'unusable',
      );
    } catch (error) {
      client.close();
      throw error;
    }
  }

  private constructor(client: TransitClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    await this.#requireSameKey();
    const input = { plaintext: key.toString('base64'), associated_data: associatedData(context) };
    const ciphertext = await this.#client.call('encrypt', input, 'ciphertext');
    if (ciphertextText.test(ciphertext)) return Buffer.from(ciphertext, 'utf8');
    throw new KeyServiceError('The ciphertext that Transit returned does not start with vault:v1:. Check the server.');
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    const ciphertext = wrapped.toString('latin1');
    if (!ciphertextText.test(ciphertext)) throw new RootKeyMismatch();
    const input = { ciphertext, associated_data: associatedData(context) };
    const plaintext = await this.#client.call('decrypt', input, 'plaintext').catch((error: unknown) => {
      throw isMismatch(error) ? new RootKeyMismatch() : error;
    });
    return toKey(Buffer.from(plaintext, 'base64'), 'Transit');
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  /**
   * Checks that the key is still the same. This runs before every wrapping, which is rare. If the key was replaced
   * under the same name, wrapped keys would be stored with the id of the old one. If the key is missing, Transit would
   * create a new one.
   */
  async #requireSameKey(): Promise<void> {
    const id = await fingerprint(this.#client);
    if (id === this.id) return;
    throw new KeyServiceError(
      `The Transit key was replaced: it is now ${id}, but this server was started with ${this.id}. Restore that key.`,
      undefined,
      'gone',
    );
  }

  async #refuses(wrapped: Buffer, context: WrapContext): Promise<boolean> {
    try {
      await this.unwrap(wrapped, context);
      return false;
    } catch (error) {
      if (error instanceof RootKeyMismatch) return true;
      throw error;
    }
  }
}

/**
 * Returns an id for the key that does not depend on its mount or name, and that does not change if the key gets new
 * versions. It consists of eight bytes of the SHA-256 of an HMAC, computed with the HMAC key of version 1.
 */
async function fingerprint(client: TransitClient): Promise<string> {
  const input = { input: fingerprintText, algorithm: 'sha2-256', key_version: 1 };
  const hmac = await client.call('hmac', input, 'hmac');
  return `transit:${createHash('sha256').update(hmac).digest('hex').slice(0, 16)}`;
}

function isMismatch(error: unknown): boolean {
  return (
    error instanceof TransitRefusal && error.status === 400 && error.reasons.some((reason) => mismatch.test(reason))
  );
}

function associatedData(context: WrapContext): string {
  return wrapContextBytes(context).toString('base64');
}
