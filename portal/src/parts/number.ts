const format = new Intl.NumberFormat('en');

/** Digits in groups: `1,234`. */
export function formatNumber(value: number): string {
  return format.format(value);
}

/** `1 token`, `2 tokens`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}
