import type { KeyObject } from 'node:crypto';
import { openRecord, sealRecord } from './sealed-record.ts';

/** Where a sealed text belongs; it cannot be opened anywhere else. */
export interface SystemPlace {
  /** Id of the row. */
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

  seal(text: string, place: SystemPlace): Buffer {
    return sealRecord(Buffer.from(text, 'utf8'), toBinding(place), { version, key: this.#key });
  }

  open(record: Buffer, place: SystemPlace): string {
    return openRecord(record, toBinding(place), { version, key: this.#key }).toString('utf8');
  }
}

/** The fields of a tenant record, with values that no tenant's record can have. */
function toBinding({ owner, field }: SystemPlace) {
  return { tenantId: 'system', tokenId: owner, field, recordVersion: 1, type: 'user' };
}
