import { formatNumber } from '../../parts/show/number';
import type { LogRecord } from '../../parts/show/said';

/** What was found out about an alert, in words. The vault stores the name. */
export const reasons = {
  expected: 'Expected: this is our own work',
  investigating: 'Somebody is looking into it',
  handled: 'Handled: rights were changed or the key was revoked',
} as const;
export type Reason = keyof typeof reasons;

/** An alert, with what somebody has found out about it since. */
export interface Alert {
  readonly record: LogRecord;
  /** The acknowledgements, newest first. */
  readonly acknowledged: readonly LogRecord[];
  /** The id of the key or member that it is about. */
  readonly subject: string;
  readonly isOfMember: boolean;
  /** The time that was watched. */
  readonly from: string;
  readonly to: string;
}

/** Joins alerts with their acknowledgements. Both are records of the log, newest first. */
export function toAlerts(raised: readonly LogRecord[], acknowledgements: readonly LogRecord[]): Alert[] {
  return raised.map((record) => {
    const { entity_id: subject, entity_type: type, created_at: at, details = {} } = record;
    const from = textIn(details, 'from') ?? at;
    const minutes = numberIn(details, 'minutes') ?? 0;
    return {
      record,
      acknowledged: acknowledgements.filter(({ details: other = {} }) => textIn(other, 'within') === record.id),
      subject,
      isOfMember: type === 'member',
      from,
      to: new Date(Date.parse(from) + minutes * 60_000).toISOString(),
    };
  });
}

/** Says what happened, after the name of the key or member. */
export function sayAlert({ record: { details = {} } }: Alert): string {
  const count = formatNumber(numberIn(details, 'count') ?? 0);
  const minutes = numberIn(details, 'minutes') ?? 0;
  const rule = textIn(details, 'rule');
  if (rule === 'misses')
    return `asked for ${count} things that do not exist within ${minutes} minutes. Guessing looks like this.`;
  if (rule === 'reveals') return `saw or sent the plaintext of ${count} tokens within ${minutes} minutes.`;
  if (rule === 'new-address') return 'was used from an address that it had not been used from for 90 days.';
  return 'did something that the vault watches for.';
}

/** Returns the words for an acknowledgement. */
export function sayReason({ details = {} }: LogRecord): string {
  const name = textIn(details, 'reason');
  return Object.entries(reasons).find(([known]) => known === name)?.[1] ?? 'Seen';
}

function textIn(details: { readonly [name: string]: unknown }, name: string): string | undefined {
  const value = details[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(details: { readonly [name: string]: unknown }, name: string): number | undefined {
  const value = details[name];
  return typeof value === 'number' ? value : undefined;
}
