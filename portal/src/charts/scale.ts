/** Returns a round number that is at least the value and whose half is round too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(1, step * power);
}

/** Returns about `count` evenly spaced indexes of a list. */
export function pickPlaces(length: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(length / Math.max(1, count)));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}

const hourLabel = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: 'numeric' });
const dayLabel = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** Returns the axis label of an interval. */
export function toIntervalLabel(start: Date, interval: 'hour' | 'day'): string {
  return (interval === 'hour' ? hourLabel : dayLabel).format(start);
}
