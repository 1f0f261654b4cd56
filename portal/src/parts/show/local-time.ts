/** Returns the local time of a date in the format of a `datetime-local` input. */
export function toLocalTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
