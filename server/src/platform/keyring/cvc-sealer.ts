import type { RecordBinding } from './sealed-record.ts';

/** Seals card verification codes under keys that live an hour and only in memory. */
export interface CvcSealer {
  seal(text: string, binding: RecordBinding): Buffer;
  /** Undefined once the key is gone: the code cannot be had any more, by anybody. */
  open(record: Buffer, binding: RecordBinding): Promise<string | undefined>;
}
