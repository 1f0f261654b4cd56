const clock = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
const thisYear = new Intl.DateTimeFormat(undefined, clock);
const otherYear = new Intl.DateTimeFormat(undefined, { ...clock, year: 'numeric' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Shows a time in the user's time zone, with UTC on hover. */
export function Time({ at, form = 'exact' }: { readonly at: string; readonly form?: 'exact' | 'day' | 'ago' }) {
  const date = new Date(at);
  const exact = date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear;
  const text = form === 'ago' ? toAgo(date) : (form === 'day' ? day : exact).format(date);
  return (
    <time dateTime={at} title={`${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {text}
    </time>
  );
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
