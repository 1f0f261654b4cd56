import { randomBytes } from 'node:crypto';
import { sha256 } from '../../sealing/sha256.ts';
import { bytesOf, KeyServiceError, textOf, toKey } from '../key-service.ts';
import {
  keyLength,
  probeContext,
  requireKeyLength,
  type RootKey,
  RootKeyMismatch,
  type WrapContext,
  wrapContextBytes,
} from '../root-key.ts';
import { GoogleKmsClient, type GoogleKmsOptions } from './google-kms-client.ts';
import { GoogleKmsError } from './google-kms-error.ts';

/** The maximum length of a ciphertext that is stored. Those of Google Cloud KMS for 32 bytes have about 115. */
const wrappedLengthMax = 6_144;

/**
 * A root key in Google Cloud KMS. A wrapped key is the unchanged ciphertext, which names the version that encrypted it.
 * Additional authenticated data binds it to its context.
 */
export class GoogleKmsRootKey implements RootKey {
  readonly id: string;
  readonly #client: GoogleKmsClient;
  readonly #name: string;

  /** Opens the key and uses it once in each direction, which detects missing permissions. */
  static async open(options: GoogleKmsOptions): Promise<GoogleKmsRootKey> {
    const client = await GoogleKmsClient.create(options);
    try {
      const probe = randomBytes(keyLength);
      const { wrapped, name } = await encrypt(client, { name: options.key, key: probe, context: probeContext });
      const rootKey = new GoogleKmsRootKey(client, name);
      if (probe.equals(await rootKey.unwrap(wrapped, probeContext))) return rootKey;
      throw new KeyServiceError('Google Cloud KMS does not unwrap what it wrapped. Check the endpoint.');
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  private constructor(client: GoogleKmsClient, name: string) {
    this.#client = client;
    this.#name = name;
    // A name belongs to one key for good: keys cannot be renamed, and a name cannot be used for another key.
    this.id = `google-kms:${sha256(Buffer.from(name, 'utf8')).toString('hex').slice(0, 16)}`;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    const { wrapped, name } = await encrypt(this.#client, { name: this.#name, key, context });
    if (name === this.#name) return wrapped;
    throw new KeyServiceError('Google Cloud KMS used a different key than requested. Check the endpoint.');
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (wrapped.length === 0 || wrapped.length > wrappedLengthMax) throw new RootKeyMismatch();
    const { plaintext } = await this.#client
      .decrypt(this.#name, wrapped, wrapContextBytes(context))
      .catch((error: unknown) => {
        throw error instanceof GoogleKmsError && error.isMismatch ? new RootKeyMismatch() : error;
      });
    return toKey(plaintext, 'Google Cloud KMS');
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Encrypts, and returns the name of the key as the service spells it, because a project has a name and a number. */
async function encrypt(
  client: GoogleKmsClient,
  input: { readonly name: string; readonly key: Buffer; readonly context: WrapContext },
): Promise<{ readonly wrapped: Buffer; readonly name: string }> {
  const { ciphertext, name } = await client.encrypt(input.name, input.key, wrapContextBytes(input.context));
  const wrapped = Buffer.from(bytesOf(ciphertext) ?? []);
  const [, key] =
    /^(projects\/.{1,1000}\/cryptoKeys\/[\w-]{1,63})\/cryptoKeyVersions\/\d+$/.exec(textOf(name) ?? '') ?? [];
  if (wrapped.length > 0 && wrapped.length <= wrappedLengthMax && key !== undefined) return { wrapped, name: key };
  throw new KeyServiceError('The response from Google Cloud KMS lacks the ciphertext or the name. Check the endpoint.');
}
