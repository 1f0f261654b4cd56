import { constants, createHash, type KeyObject, publicEncrypt, randomBytes, verify } from 'node:crypto';
import { bytesOf, KeyServiceError, toKey } from '../key-service.ts';
import {
  keyLength,
  probeContext,
  requireKeyLength,
  type RootKey,
  RootKeyMismatch,
  type WrapContext,
  wrapContextBytes,
} from '../root-key.ts';
import { AzureKeyVaultClient, type AzureKeyVaultOptions, type KeyVersion } from './azure-key-vault-client.ts';

/*
 * A wrapped key is: format 1 (1 byte) ‖ version of the key (16) ‖ ciphertext ‖ signature. The last two are as long as the
 * modulus. The ciphertext is RSA-OAEP with SHA-256. Everybody who knows the public key could make one, so the signature
 * (RSA-PSS with SHA-256, RFC 8017) covers the context and everything before it.
 */
const format = 1;
const headerLength = 17;
const saltLength = 32;

/**
 * A root key in Azure Key Vault: an RSA key, because key vaults have no others that encrypt. The vault encrypts and
 * verifies with the public key itself, and calls the service to sign and to decrypt.
 */
export class AzureKeyVaultRootKey implements RootKey {
  readonly id: string;
  readonly #client: AzureKeyVaultClient;
  readonly #current: KeyVersion;
  readonly #versions = new Map<string, KeyVersion>();

  /** Opens the key and uses it once in each direction, which detects missing permissions. */
  static async open(options: AzureKeyVaultOptions): Promise<AzureKeyVaultRootKey> {
    const client = await AzureKeyVaultClient.create(options);
    try {
      const current = await client.version();
      const first = await client.version(await client.firstVersion());
      const rootKey = new AzureKeyVaultRootKey(client, current, first);
      const probe = randomBytes(keyLength);
      if (probe.equals(await rootKey.unwrap(await rootKey.wrap(probe, probeContext), probeContext))) return rootKey;
      throw new KeyServiceError('Azure Key Vault does not unwrap what it wrapped. Check its address.');
    } catch (error) {
      client.close();
      throw error;
    }
  }

  private constructor(client: AzureKeyVaultClient, current: KeyVersion, first: KeyVersion) {
    this.#client = client;
    this.#current = current;
    for (const one of [current, first]) this.#versions.set(one.version, one);
    // The id is that of the first version, so it stays the same in a restored vault and with new versions.
    this.id = `azure-key-vault:${fingerprintOf(first.publicKey)}`;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    const { version, publicKey, calls } = this.#current;
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const ciphertext = publicEncrypt({ key: publicKey, ...padding }, key);
    const signed = Buffer.concat([Buffer.of(format), Buffer.from(version, 'hex'), ciphertext]);
    const digest = createHash('sha256').update(toSign(signed, context)).digest();
    const { result } = await this.#client.call('sign', (abortSignal) => calls.sign('PS256', digest, { abortSignal }));
    const wrapped = Buffer.concat([signed, bytesOf(result) ?? Buffer.alloc(0)]);
    if (isAuthentic(wrapped, context, publicKey)) return wrapped;
    throw new KeyServiceError('Azure Key Vault signed with a different key than requested. Check its address.');
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (wrapped.length <= headerLength || wrapped[0] !== format) throw new RootKeyMismatch();
    const { publicKey, calls } = await this.#version(wrapped.toString('hex', 1, headerLength));
    if (!isAuthentic(wrapped, context, publicKey)) throw new RootKeyMismatch();
    const ciphertext = wrapped.subarray(headerLength, headerLength + modulusLength(publicKey));
    const { result } = await this.#client.call('unwrapKey', (abortSignal) =>
      calls.unwrapKey('RSA-OAEP-256', ciphertext, { abortSignal }),
    );
    return toKey(result, 'Azure Key Vault');
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  /** Returns a version, which may be newer than this process. An unknown version belongs to another key. */
  async #version(version: string): Promise<KeyVersion> {
    const known = this.#versions.get(version);
    if (known !== undefined) return known;
    const found = await this.#client.version(version).catch(async (error: unknown) => {
      if (!(error instanceof KeyServiceError) || error.trouble !== 'gone') throw error;
      // If the key itself is gone, this throws.
      await this.#client.version();
      throw new RootKeyMismatch();
    });
    this.#versions.set(version, found);
    return found;
  }
}

function isAuthentic(wrapped: Buffer, context: WrapContext, key: KeyObject): boolean {
  const signedLength = headerLength + modulusLength(key);
  if (wrapped.length !== signedLength + modulusLength(key)) return false;
  const data = toSign(wrapped.subarray(0, signedLength), context);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return verify('sha256', data, { key, padding, saltLength }, wrapped.subarray(signedLength));
}

function toSign(signed: Buffer, context: WrapContext): Buffer {
  return Buffer.concat([wrapContextBytes(context), signed]);
}

function modulusLength(key: KeyObject): number {
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
}

function fingerprintOf(key: KeyObject): string {
  const bytes = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
