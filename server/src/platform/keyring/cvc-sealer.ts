import type { RecordBinding } from './sealed-record.ts';

/** Seals card verification codes under keys that live an hour and only in memory. */
export interface CvcSealer {
  seal(text: string, binding: RecordBinding): Buffer;
  /** Undefined once the key is gone: the code cannot be had any more, by anybody. */
  open(record: Buffer, binding: RecordBinding): Promise<string | undefined>;
}

/**
 * For commands. The keys of card verification codes live in the memory of servers, so a command can open none; and one
 * that it sealed would be lost with its process, or outlive its hour.
 */
export const noCvcSealer: CvcSealer = {
  seal: () => {
    throw new Error('Only a server can seal a card verification code.');
  },
  open: () => Promise.resolve(undefined),
};
