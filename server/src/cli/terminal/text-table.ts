import { toOneLine } from '../../core/text/one-line.ts';

/** Formats columns with two spaces between them and no trailing spaces. Each row is one line. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map(toOneLine));
  const widths = header.map((_, column) => all.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
