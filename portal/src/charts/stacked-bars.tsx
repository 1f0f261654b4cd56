import { useState } from 'react';
import { DataTable } from '../parts/show/data-table';
import { formatNumber } from '../parts/show/number';
import { toBarLayout } from './bar-layout';
import { pickPlaces } from './scale';
import { useWidth } from './use-width';

export interface Series {
  readonly name: string;
  readonly label: string;
  readonly tone: 'none' | 'masked' | 'plaintext' | 'denied';
  /** True for what hangs below the base line. */
  readonly isBelow?: boolean;
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
  /** From the base line upwards, so that the first one can be compared between bars. */
  readonly series: readonly Series[];
  readonly height?: number;
  /** Called with the first and last bar, inclusive, when the user drags over bars. */
  readonly onChoose?: (first: number, last: number) => void;
}

const axisWidth = 44;
const labelHeight = 24;
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
        {series.map(({ name, label, tone, isBelow }) => (
          <span key={name} className="chart-key">
            <span className={`chart-dot fill-${tone}`} />
            {label}
            {isBelow === true ? ', below' : ''}
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
  const barWidth = Math.max(1, step - (step > 12 ? Math.min(10, step / 3) : 1));
  const layout = toBarLayout(bars, series, height - labelHeight);
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
      {layout.ticks.map(({ value, y }) => (
        <g key={value}>
          <line x1={axisWidth} x2={width} y1={y} y2={y} className={value === 0 ? 'chart-base' : 'chart-line'} />
          <text x={axisWidth - 8} y={y + 4} textAnchor="end" className="chart-text">
            {value === 0 ? '' : formatNumber(value)}
          </text>
        </g>
      ))}
      {layout.bars.map(({ key, title, parts }, index) => (
        <g key={key} className="chart-bar">
          <title>{title}</title>
          <rect x={axisWidth + index * step} y={0} width={step} height={height - labelHeight} className="chart-hit" />
          {parts.map(({ name, tone, y, height: tall }) => (
            <rect
              key={name}
              x={axisWidth + index * step + (step - barWidth) / 2}
              y={y}
              width={barWidth}
              height={tall}
              className={`fill-${tone}`}
            />
          ))}
        </g>
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
          rx={4}
          className="chart-chosen"
        />
      )}
    </svg>
  );
}
