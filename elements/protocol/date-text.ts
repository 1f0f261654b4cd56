/** Formats a month and a year as MMYY. They may be numbers and have two or four digits. */
export function toDateText(month: unknown, year: unknown): string {
  return `${toText(month).padStart(2, '0')}${toText(year).slice(-2).padStart(2, '0')}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 10) : '';
}
