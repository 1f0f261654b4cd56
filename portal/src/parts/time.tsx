const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time in the reader's zone, with UTC on hover. */
export function Time({ at, form = 'exact' }: { readonly at: string; readonly form?: 'exact' | 'day' | 'ago' }) {
  const date = new Date(at);
  const text = form === 'ago' ? toAgo(date) : (form === 'day' ? day : local).format(date);
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

/** Such as `3 days ago`. */
export function toAgo(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1_000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}
