import { randomBytes } from 'node:crypto';
import { bytesOf, KeyServiceError, textOf, toKey } from '../key-service.ts';
import {
  keyLength,
  probeContext,
  requireKeyLength,
  type RootKey,
  RootKeyMismatch,
  type WrapContext,
} from '../root-key.ts';
import { AwsKmsClient, type AwsKmsOptions } from './aws-kms-client.ts';
import { AwsKmsError } from './aws-kms-error.ts';

/** The maximum ciphertext length of KMS. */
const wrappedLengthMax = 6_144;
const mismatches = ['InvalidCiphertextException', 'IncorrectKeyException'];

/**
 * A root key in AWS KMS. A wrapped key is the unchanged KMS ciphertext. The KMS encryption context binds it to its own
 * context, and is visible in CloudTrail.
 */
export class AwsKmsRootKey implements RootKey {
  readonly id: string;
  readonly #client: AwsKmsClient;
  readonly #keyArn: string;

  /**
   * Opens the key and uses it once in each direction. This resolves an alias to its key and detects missing
   * permissions.
   */
  static async open(options: AwsKmsOptions): Promise<AwsKmsRootKey> {
    const client = await AwsKmsClient.create(options);
    try {
      const probe = randomBytes(keyLength);
      const { wrapped, keyArn } = await encrypt(client, { keyId: options.key, key: probe, context: probeContext });
      const rootKey = new AwsKmsRootKey(client, keyArn);
      if (probe.equals(await rootKey.unwrap(wrapped, probeContext))) return rootKey;
      throw new KeyServiceError('AWS KMS does not unwrap what it wrapped. Check the endpoint.');
    } catch (error) {
      client.close();
      throw error;
    }
  }

  private constructor(client: AwsKmsClient, keyArn: string) {
    this.#client = client;
    this.#keyArn = keyArn;
    // The id omits the account and the region, because a replica of the key in another region is the same key.
    this.id = `aws-kms:${keyArn.slice(keyArn.indexOf('/') + 1)}`;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    const { wrapped, keyArn } = await encrypt(this.#client, { keyId: this.#keyArn, key, context });
    if (keyArn === this.#keyArn) return wrapped;
    throw new KeyServiceError('AWS KMS used a different key than requested. Check the endpoint.');
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (wrapped.length === 0 || wrapped.length > wrappedLengthMax) throw new RootKeyMismatch();
    const input = { KeyId: this.#keyArn, CiphertextBlob: wrapped, EncryptionContext: encryptionContext(context) };
    const { Plaintext } = await this.#client.decrypt(input).catch((error: unknown) => {
      throw error instanceof AwsKmsError && mismatches.includes(error.type) ? new RootKeyMismatch() : error;
    });
    return toKey(Plaintext, 'AWS KMS');
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

async function encrypt(
  client: AwsKmsClient,
  { keyId, key, context }: { readonly keyId: string; readonly key: Buffer; readonly context: WrapContext },
): Promise<{ readonly wrapped: Buffer; readonly keyArn: string }> {
  const { CiphertextBlob, KeyId } = await client.encrypt({
    KeyId: keyId,
    Plaintext: key,
    EncryptionContext: encryptionContext(context),
  });
  const keyArn = textOf(KeyId) ?? '';
  const wrapped = Buffer.from(bytesOf(CiphertextBlob) ?? []);
  if (wrapped.length > 0 && wrapped.length <= wrappedLengthMax && /^arn:[^/]+:key\/[\w-]{1,64}$/.test(keyArn)) {
    return { wrapped, keyArn };
  }
  throw new KeyServiceError('The response from AWS KMS lacks the ciphertext or the key id. Check the endpoint.');
}

function encryptionContext({ tenant, purpose, version }: WrapContext): Record<string, string> {
  return { tenant, purpose, version: String(version) };
}
