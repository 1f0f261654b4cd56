import { tokenLimits } from '../../../core/token-limits.ts';

const minuteMs = 60_000;

/** How long an epoch's key is used for encryption. */
export const sealMs = 5 * minuteMs;
/** When it is destroyed, counted from the moment it begins to seal: a code sealed last still lives out its time. */
export const lifeMs = sealMs + tokenLimits.cvcLifeSeconds * 1_000;
/** How long before its turn an epoch is made and told to the other servers. */
export const leadMs = minuteMs / 2;

/** A key for a few minutes of verification codes. All times are of this process's own clock. */
export interface Epoch {
  /** Stored in a sealed record where other records have the version of a tenant key. */
  readonly id: number;
  readonly endsAt: number;
  /** Overwritten with zeros when the epoch ends; never passed outside this folder. */
  readonly secret: Buffer;
}
