import { createSecretKey, randomBytes } from 'node:crypto';
import type { CvcSealer } from './cvc-sealer.ts';
import { openRecord, type RecordBinding, sealRecord } from './sealed-record.ts';

/** Keeps the key in the memory of this process: with it goes every code. */
export class MemoryCvcSealer implements CvcSealer {
  readonly #key = { version: 1, key: createSecretKey(randomBytes(32)) };

  seal(text: string, binding: RecordBinding): Buffer {
    return sealRecord(Buffer.from(text, 'utf8'), binding, this.#key);
  }

  async open(record: Buffer, binding: RecordBinding): Promise<string | undefined> {
    return openRecord(record, binding, this.#key).toString('utf8');
  }
}
