/** The local time of a date, as an input of the type `datetime-local` has it. */
export function toLocalTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
