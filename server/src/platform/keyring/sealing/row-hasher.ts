import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const keyLength = 32;

/**
 * Hashes rows so that someone with the key can tell whether a row was changed. Without the key, a hash reveals nothing.
 * A plain hash would, because a card number can be found by brute force.
 */
export class RowHasher {
  readonly #key: KeyObject;

  static generate(): { readonly hasher: RowHasher; readonly key: string } {
    const key = randomBytes(keyLength);
    return { hasher: new RowHasher(key), key: key.toString('base64') };
  }

  /** Returns undefined if the text is not a valid key. */
  static parse(key: string): RowHasher | undefined {
    const bytes = Buffer.from(key, 'base64');
    return bytes.length === keyLength ? new RowHasher(bytes) : undefined;
  }

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  hash(row: string): string {
    return createHmac('sha256', this.#key).update('strongroom/export/1').update(row).digest('base64');
  }
}
