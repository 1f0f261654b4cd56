import { tokenLimits } from '../../../core/token-limits.ts';

const minuteMs = 60_000;

/** How long an epoch's key seals. */
export const sealMs = 5 * minuteMs;
/** When it is destroyed, counted from the moment it begins to seal: a code sealed last still lives out its time. */
export const lifeMs = sealMs + tokenLimits.cvcLifeSeconds * 1_000;
/** How long before its turn an epoch is made and told to the other servers. */
export const leadMs = minuteMs / 2;

/** A key for a few minutes of verification codes. All times are of this process's own clock. */
export interface Epoch {
  /** Stands in a sealed record where other records name the version of a tenant key. */
  readonly id: number;
  readonly endsAt: number;
  /** Filled with zeros when the epoch ends; never handed out of the folder. */
  readonly secret: Buffer;
}
