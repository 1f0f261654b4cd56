import type { Series } from './stacked-bars';

const width = 88;
const height = 28;

/** Shows the course of a number as a line. It has no scale: the number beside it says how much. */
export function Spark({ values, tone }: { readonly values: readonly number[]; readonly tone: Series['tone'] }) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${(index * step).toFixed(1)} ${(height - (value / most) * height).toFixed(1)}`,
  );
  if (points.length < 2) return null;
  return (
    <svg
      className={`spark spark-${tone}`}
      viewBox={`0 -2 ${width} ${height + 4}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}
