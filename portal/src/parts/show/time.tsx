/** The portal speaks English, in the form of English that the reader has chosen. */
const language = navigator.language.startsWith('en') ? navigator.language : 'en-GB';
const clock = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
const thisYear = new Intl.DateTimeFormat(language, clock);
const otherYear = new Intl.DateTimeFormat(language, { ...clock, year: 'numeric' });
const toTheSecond = new Intl.DateTimeFormat(language, { ...clock, year: 'numeric', second: '2-digit' });
const timeOnly = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const dayName = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
const dayOfYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayMs = 86_400_000;

/**
 * How a time is written: `near` is relative within a day and a date otherwise, `exact` has date and time to the minute,
 * `second` to the second, `day` only the date, `clock` only the time, and `ago` is always relative.
 */
export type TimeForm = 'near' | 'exact' | 'second' | 'day' | 'clock' | 'ago';

/** Shows a time in the user's zone, with the time to the second in that zone and in UTC on hover. */
export function Time({ at, form = 'near' }: { readonly at: string; readonly form?: TimeForm }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${toTheSecond.format(date)} ${zoneOf(date)} · ${toUtc(date)}`}>
      {write(date, form)}
    </time>
  );
}

function write(date: Date, form: TimeForm): string {
  if (form === 'ago' || (form === 'near' && Math.abs(Date.now() - date.getTime()) < dayMs)) return toAgo(date);
  if (form === 'second') return toTheSecond.format(date);
  if (form === 'day') return day.format(date);
  if (form === 'clock') return timeOnly.format(date);
  return (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);
}

/** Writes a time in UTC, such as `2026-11-18 02:51:07 UTC`. */
export function toUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Writes a day, such as `Today, 18 November`. */
export function toDayName(at: string, now = new Date()): string {
  const date = new Date(at);
  const isDaysAgo = (days: number) => date.toDateString() === new Date(now.getTime() - days * dayMs).toDateString();
  if (isDaysAgo(0)) return `Today, ${dayOfYear.format(date)}`;
  return isDaysAgo(1) ? `Yesterday, ${dayOfYear.format(date)}` : dayName.format(date);
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a relative time such as `3 days ago`. */
export function toAgo(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1_000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function zoneOf(date: Date): string {
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: 'short' }).formatToParts(date);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Names the zone of all times on a page. */
export function ZoneNote() {
  return <span>Times in {zone === 'UTC' ? 'UTC' : `${zone.replaceAll('_', ' ')} (${zoneOf(new Date())})`}.</span>;
}
