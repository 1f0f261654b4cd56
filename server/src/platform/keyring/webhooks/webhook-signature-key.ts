import { constants, createPrivateKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../database/database.ts';
import { SharedReads } from '../../waiting/shared-reads.ts';
import type { SystemKeys } from '../keys/system-keys.ts';

/** The version of the signature that the hosted service sends in `BT-SIGNATURE-VERSION`. */
export const signatureVersion = 1;
const modulusBits = 3_072;
const binding = { owner: `webhook-signature/${signatureVersion}`, field: 'private key' };

interface StoredKey {
  readonly sealed: Buffer;
  readonly publicKey: string;
}

interface OpenedKey {
  readonly privateKey: KeyObject;
  readonly publicKey: string;
}

/**
 * The key of `BT-SIGNATURE`. It belongs to the installation, because receivers of the hosted service fetch one public
 * key for all endpoints. It is generated when it is first needed.
 */
export class WebhookSignatureKey {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #reads = new SharedReads<'key', OpenedKey>();
  #opened: OpenedKey | undefined;

  constructor(parts: { database: Database; systemKeys: SystemKeys }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
  }

  /** Returns the public key as PEM. */
  async publicKey(): Promise<string> {
    return (await this.#open()).publicKey;
  }

  /** Returns the signature (RSA-PSS with SHA-256) of a text as base64. */
  async sign(text: string): Promise<string> {
    const { privateKey } = await this.#open();
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign('sha256', Buffer.from(text, 'utf8'), { key: privateKey, padding }).toString('base64');
  }

  async #open(): Promise<OpenedKey> {
    if (this.#opened !== undefined) return this.#opened;
    return this.#reads.run(
      'key',
      () => this.#load(),
      (opened) => {
        this.#opened = opened;
      },
    );
  }

  async #load(): Promise<OpenedKey> {
    const stored = (await this.#find()) ?? (await this.#create());
    const privateKey = createPrivateKey(this.#systemKeys.sealer().open(stored.sealed, binding));
    return { privateKey, publicKey: stored.publicKey };
  }

  async #find(): Promise<StoredKey | undefined> {
    const [row] = await this.#database.forSystem((tx) =>
      tx.query<StoredKey>({
        text: `select private_key_sealed as sealed, public_key as "publicKey" from webhook_signature_keys where version = $1`,
        values: [signatureVersion],
      }),
    );
    return row;
  }

  /** Generates a key, unless another process has done so in the meantime. */
  async #create(): Promise<StoredKey> {
    const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
      modulusLength: modulusBits,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const sealed = this.#systemKeys.sealer().seal(privateKey, binding);
    await this.#database.forSystem((tx) =>
      tx.query({
        text: `insert into webhook_signature_keys (version, private_key_sealed, public_key) values ($1, $2, $3)
          on conflict do nothing`,
        values: [signatureVersion, sealed, publicKey],
      }),
    );
    const stored = await this.#find();
    if (stored === undefined) throw new Error('The key of BT-SIGNATURE was not stored.');
    return stored;
  }
}
