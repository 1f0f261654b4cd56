import type { RecordBinding } from './sealed-record.ts';

/** Encrypts card verification codes with keys that exist for about an hour and only in memory. */
export interface CvcSealer {
  seal(text: string, binding: RecordBinding): Buffer;
  /** Returns undefined if the key is gone. Nobody can recover the code any more. */
  open(record: Buffer, binding: RecordBinding): Promise<string | undefined>;
}

/**
 * A sealer for commands. The keys of card verification codes are in the memory of servers, so a command cannot open a
 * code. A code that it encrypted would be lost with its process, or outlive its hour.
 */
export const noCvcSealer: CvcSealer = {
  seal: () => {
    throw new Error('Only a server can seal a card verification code.');
  },
  open: () => Promise.resolve(undefined),
};
