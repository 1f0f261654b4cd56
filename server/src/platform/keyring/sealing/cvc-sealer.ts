import type { RecordBinding } from './sealed-record.ts';

/** Encrypts card verification codes with keys that exist for about an hour and only in memory. */
export interface CvcSealer {
  seal(text: string, binding: RecordBinding): Buffer;
  /** Returns undefined if the key is gone. In that case, nobody can recover the code. */
  open(record: Buffer, binding: RecordBinding): Promise<string | undefined>;
}

/**
 * A sealer for commands. The keys of card verification codes are in the memory of servers, so a command cannot open a
 * code. A code that a command encrypted would be lost when its process ends, or would outlive its hour.
 */
export const noCvcSealer: CvcSealer = {
  seal: () => {
    throw new Error('Only a server can seal a card verification code.');
  },
  open: () => Promise.resolve(undefined),
};
