import { tokenLimits } from '../../../core/token-limits.ts';

const minuteMs = 60_000;

/** The time for which an epoch's key is used for encryption. */
export const sealMs = 5 * minuteMs;
/**
 * The life of an epoch, counted from its first use for encryption. Even the last code that it encrypts lives for its
 * full time.
 */
export const lifeMs = sealMs + tokenLimits.cvcLifeSeconds * 1_000;
/** The time between the creation of an epoch and its use, in which it is announced to the other servers. */
export const leadMs = minuteMs / 2;

/** A key for a few minutes of verification codes. All times are on the clock of this process. */
export interface Epoch {
  /** The id of the epoch. Sealed records store it in place of a tenant key's version. */
  readonly id: number;
  readonly endsAt: number;
  /** The secret. It is overwritten with zeros when the epoch ends, and never passed outside this folder. */
  readonly secret: Buffer;
}
