import { formatNumber } from '../parts/show/number';
import { roundUp } from './scale';
import type { Bar, Series } from './stacked-bars';

/** A rectangle of a bar. */
interface Part {
  readonly name: string;
  readonly tone: Series['tone'];
  readonly y: number;
  readonly height: number;
}

export interface BarLayout {
  readonly ticks: readonly { readonly value: number; readonly y: number }[];
  readonly bars: readonly { readonly key: string; readonly title: string; readonly parts: readonly Part[] }[];
}

const marginTop = 8;
/** Space between two parts, in pixels, so that they are told apart by more than colour. */
const gap = 1;
/** The smallest height of a part. A single record must still be visible. */
const partMin = 2;
/** The smallest room below the base line, if anything is there. */
const belowMin = 12;

/** Places stacked bars: most series stand on the base line, and some hang below it. Both have the same scale. */
export function toBarLayout(bars: readonly Bar[], series: readonly Series[], height: number): BarLayout {
  const [above, below] = [false, true].map((isBelow) => series.filter((one) => (one.isBelow ?? false) === isBelow));
  const sumOf = (of: readonly Series[] | undefined, { values }: Bar) =>
    (of ?? []).reduce((sum, { name }) => sum + (values[name] ?? 0), 0);
  const top = roundUp(Math.max(0, ...bars.map((bar) => sumOf(above, bar))));
  const deepest = Math.max(0, ...bars.map((bar) => sumOf(below, bar)));
  const room = height - marginTop;
  const depth = deepest === 0 ? 0 : Math.max(belowMin, (room * deepest) / (top + deepest));
  const base = height - depth;
  const scale = (base - marginTop) / top;
  const belowScale = deepest === 0 ? 0 : Math.min(scale, (depth - gap) / deepest);
  return {
    ticks: [0, top / 2, top]
      .filter((value) => Number.isInteger(value))
      .map((value) => ({ value, y: base - value * scale })),
    bars: bars.map((bar) => ({
      key: bar.key,
      title: `${bar.label}: ${series.map(({ name, label }) => `${label} ${formatNumber(bar.values[name] ?? 0)}`).join(', ')}`,
      parts: [
        ...stack(above ?? [], bar, (tall, offset) => base - offset - tall, scale),
        ...stack(below ?? [], bar, (_, offset) => base + gap + offset, belowScale),
      ],
    })),
  };
}

function stack(
  series: readonly Series[],
  { values }: Bar,
  toY: (height: number, offset: number) => number,
  scale: number,
): Part[] {
  let offset = 0;
  return series.flatMap(({ name, tone }) => {
    const value = values[name] ?? 0;
    if (value === 0) return [];
    const whole = Math.max(partMin, value * scale);
    const part = { name, tone, y: toY(whole, offset), height: Math.max(1, whole - gap) };
    offset += whole;
    return [part];
  });
}
