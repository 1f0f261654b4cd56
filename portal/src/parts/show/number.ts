const format = new Intl.NumberFormat('en');

/** Formats a number with grouped digits, such as `1,234`. */
export function formatNumber(value: number): string {
  return format.format(value);
}

/** Formats a count with its noun, such as `1 token` or `2 tokens`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}
