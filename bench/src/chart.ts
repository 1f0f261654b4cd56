import type { ComparedRow, GrowthRow } from './results.ts';

const width = 760;
const labelWidth = 330;
const rowHeight = 34;
const barHeight = 16;
const top = 40;

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly goal: number;
  readonly isMet: boolean;
}

/** Draws the speed of the vault relative to bare PostgreSQL, with a mark at the goal. */
export function toRatioChart(rows: readonly ComparedRow[]): string {
  const bars = rows.map(({ work, against, ratio, goal }) => ({
    label: `${work}\n${against}`,
    value: ratio,
    goal,
    isMet: ratio >= goal,
  }));
  return toChart('Throughput, as a multiple of bare PostgreSQL', bars);
}

/** Draws how much more an operation costs in the largest vault than in the smallest. */
export function toGrowthChart(rows: readonly GrowthRow[], goal: number): string {
  const bars = rows.map(({ operation, ratio }) => ({ label: operation, value: ratio, goal, isMet: ratio <= goal }));
  return toChart('Time in the largest vault, as a multiple of the smallest', bars);
}

function toChart(title: string, bars: readonly Bar[]): string {
  const scale = (width - labelWidth - 60) / Math.max(...bars.map(({ value, goal }) => Math.max(value, goal)), 1);
  const height = top + bars.length * rowHeight + 10;
  const lines = bars.map((bar, index) => toBar(bar, top + index * rowHeight, scale));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="10" y="22" font-size="15" font-weight="600">${escape(title)}</text>
${lines.join('\n')}
</svg>
`;
}

function toBar({ label, value, goal, isMet }: Bar, y: number, scale: number): string {
  const [first = '', second] = label.split('\n');
  const end = labelWidth + value * scale;
  const mark = labelWidth + goal * scale;
  const middle = y + barHeight / 2 + 4;
  const caption =
    second === undefined
      ? `<text x="10" y="${middle}">${escape(first)}</text>`
      : `<text x="10" y="${y + 7}">${escape(first)}</text><text x="10" y="${y + 21}" font-size="10" fill="#666666">${escape(second)}</text>`;
  return `${caption}<rect x="${labelWidth}" y="${y}" width="${(value * scale).toFixed(1)}" height="${barHeight}" fill="${isMet ? '#2f7d5b' : '#b3541e'}"/><line x1="${mark.toFixed(1)}" y1="${y - 3}" x2="${mark.toFixed(1)}" y2="${y + barHeight + 3}" stroke="#111111" stroke-width="2"/><text x="${(Math.max(end, mark) + 6).toFixed(1)}" y="${middle}">${value.toFixed(2)}×</text>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
