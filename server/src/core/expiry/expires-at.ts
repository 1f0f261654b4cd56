import { invalidField } from '../errors/domain-error.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenLimits } from '../token-limits.ts';
import { parseIsoTimestamp, parseMonthFirstTimestamp } from './timestamp.ts';

/** The time when something expires, and the UTC offset that its owner used. */
export interface ExpiresAt {
  readonly instant: Date;
  readonly offsetMinutes: number;
}

/**
 * Accepts ISO 8601 and the month-first spelling, each as a date (midnight UTC) or a date-time (UTC unless it has an
 * offset). Expiration takes effect at exactly that instant, so it must be after `now`.
 */
export function parseExpiresAt(text: string, now: Date): ExpiresAt {
  const timestamp = isLongerThan(text, tokenLimits.expiresAtLengthMax)
    ? undefined
    : (parseIsoTimestamp(text) ?? parseMonthFirstTimestamp(text));
  if (timestamp === undefined) {
    throw invalidField('expires_at', 'The expiration must be an ISO 8601 date or date-time, or a month/day/year date.');
  }
  if (timestamp.instant <= now) throw invalidField('expires_at', 'The expiration must be in the future.');

  return { instant: timestamp.instant, offsetMinutes: timestamp.offsetMinutes };
}

/** Returns ISO 8601 in the stored offset, with UTC as `+00:00`. Milliseconds are omitted if they are zero. */
export function formatExpiresAt({ instant, offsetMinutes }: ExpiresAt): string {
  const local = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString();
  const dateTime = local.replace('.000Z', '').replace('Z', '');

  const distance = Math.abs(offsetMinutes);
  const hours = String(Math.trunc(distance / 60)).padStart(2, '0');
  const minutes = String(distance % 60).padStart(2, '0');
  return `${dateTime}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}
