import type { KeyObject } from 'node:crypto';
import { openRecord, sealRecord } from './sealed-record.ts';

/** The row and field that a sealed text belongs to. The text cannot be opened anywhere else. */
export interface SystemBinding {
  /** The id of the row. */
  readonly owner: string;
  readonly field: string;
}

const version = 1;

/** Encrypts short texts that belong to no tenant, with a key of the installation. */
export class SystemSealer {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(text: string, binding: SystemBinding): Buffer {
    return sealRecord(Buffer.from(text, 'utf8'), toBinding(binding), { version, key: this.#key });
  }

  open(record: Buffer, binding: SystemBinding): string {
    return openRecord(record, toBinding(binding), { version, key: this.#key }).toString('utf8');
  }
}

/** Returns a binding in the form of a tenant's record, with values that no such record can have. */
function toBinding({ owner, field }: SystemBinding) {
  return { tenantId: 'system', tokenId: owner, field, recordVersion: 1, type: 'user' };
}
