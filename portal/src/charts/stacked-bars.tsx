import { useState } from 'react';
import { DataTable } from '../parts/data-table';
import { formatNumber } from '../parts/number';
import { pickPlaces, roundUp } from './scale';
import { useWidth } from './use-width';

export interface Series {
  readonly name: string;
  readonly label: string;
  readonly tone: 'accent' | 'good' | 'warn' | 'bad' | 'plain';
}

export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly values: Readonly<Record<string, number>>;
}

interface Chart {
  /** A sentence that describes the chart. */
  readonly caption: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Called with the first and last bar, inclusive, when the user drags over bars. */
  readonly onChoose?: (first: number, last: number) => void;
}

const axisWidth = 44;
const labelHeight = 20;
const labelWidth = 96;

/** Shows numbers over time as stacked bars, with an equivalent table for screen readers. */
export function StackedBars(chart: Chart) {
  const { bars, series, caption } = chart;
  const { ref, width } = useWidth<HTMLDivElement>();
  return (
    <figure className="chart">
      <div ref={ref} className="chart-frame">
        {width > 0 ? <Drawing {...chart} width={width} /> : null}
      </div>
      <figcaption className="chart-legend">
        {series.map(({ name, label, tone }) => (
          <span key={name} className="chart-key">
            <span className={`chart-dot fill-${tone}`} />
            {label}
          </span>
        ))}
        <details>
          <summary>As a table</summary>
          <DataTable
            caption={caption}
            rows={bars}
            keyOf={({ key }) => key}
            columns={[
              { header: 'Time', cell: ({ label }) => label, isWide: true },
              ...series.map(({ name, label }) => ({
                header: label,
                isNumber: true,
                cell: ({ values }: Bar) => formatNumber(values[name] ?? 0),
              })),
            ]}
          />
        </details>
      </figcaption>
    </figure>
  );
}

function Drawing({ bars, series, caption, height = 160, onChoose, width }: Chart & { readonly width: number }) {
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number }>();
  const inner = Math.max(0, width - axisWidth);
  const step = inner / Math.max(1, bars.length);
  const barWidth = Math.max(1, step - (step > 4 ? 2 : 0.5));
  const sums = bars.map(({ values }) => series.reduce((sum, { name }) => sum + (values[name] ?? 0), 0));
  const top = roundUp(Math.max(0, ...sums));
  const plot = height - labelHeight - 6;
  const toY = (value: number) => 6 + plot - (value / top) * plot;
  const barAt = (clientX: number, left: number) =>
    Math.min(bars.length - 1, Math.max(0, Math.floor((clientX - left - axisWidth) / step)));
  const chosen = dragged === undefined ? undefined : [dragged.from, dragged.to].toSorted((a, b) => a - b);
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={caption}
      className={onChoose === undefined ? undefined : 'chart-draggable'}
      onPointerDown={(event) => {
        if (onChoose === undefined || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = barAt(event.clientX, event.currentTarget.getBoundingClientRect().left);
        setDragged({ from: at, to: at });
      }}
      onPointerMove={(event) => {
        if (dragged === undefined) return;
        setDragged({ ...dragged, to: barAt(event.clientX, event.currentTarget.getBoundingClientRect().left) });
      }}
      onPointerUp={() => {
        if (chosen !== undefined) onChoose?.(chosen[0] ?? 0, chosen[1] ?? 0);
        setDragged(undefined);
      }}
      onPointerCancel={() => setDragged(undefined)}
    >
      {[0, top / 2, top].map((tick) => (
        <g key={tick}>
          <line x1={axisWidth} x2={width} y1={toY(tick)} y2={toY(tick)} className="chart-line" />
          <text x={axisWidth - 8} y={toY(tick) + 4} textAnchor="end" className="chart-text">
            {Number.isInteger(tick) ? formatNumber(tick) : ''}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <BarStack
          key={bar.key}
          bar={bar}
          series={series}
          x={axisWidth + index * step}
          width={barWidth}
          toY={toY}
          title={`${bar.label}: ${formatNumber(sums[index] ?? 0)}`}
        />
      ))}
      {pickPlaces(bars.length, Math.floor(inner / labelWidth)).map((index) => (
        <text key={index} x={axisWidth + index * step} y={height - 4} className="chart-text">
          {bars[index]?.label}
        </text>
      ))}
      {chosen === undefined ? null : (
        <rect
          x={axisWidth + (chosen[0] ?? 0) * step}
          y={0}
          width={((chosen[1] ?? 0) - (chosen[0] ?? 0) + 1) * step}
          height={height - labelHeight}
          className="chart-chosen"
        />
      )}
    </svg>
  );
}

function BarStack(stack: {
  readonly bar: Bar;
  readonly series: readonly Series[];
  readonly x: number;
  readonly width: number;
  readonly toY: (value: number) => number;
  readonly title: string;
}) {
  const { bar, series, x, width, toY, title } = stack;
  let below = 0;
  const parts = series.flatMap(({ name, tone }) => {
    const value = bar.values[name] ?? 0;
    if (value === 0) return [];
    const bottom = toY(below);
    below += value;
    // A bar with a single record must still be visible.
    const height = Math.max(1, bottom - toY(below));
    return [<rect key={name} x={x} y={bottom - height} width={width} height={height} className={`fill-${tone}`} />];
  });
  return (
    <g>
      <title>{title}</title>
      {parts}
    </g>
  );
}
