/** Returns a table as the repository's formatter writes it: every column is as wide as its widest cell. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => widthOf(row[column] ?? ''))));
  const toLine = (row: readonly string[]) =>
    `| ${widths.map((width, column) => padTo(row[column] ?? '', width)).join(' | ')} |`;
  const [first = [], ...rest] = cells;
  return [toLine(first), toLine(widths.map((width) => '-'.repeat(width))), ...rest.map(toLine)].join('\n');
}

export function toCode(text: string): string {
  return `\`${text}\``;
}

/**
 * Joins paragraphs, tables and headings with an empty line between them. The second part names the origin of the page.
 */
export function toPage(title: string, parts: readonly string[]): string {
  const origin = '<!-- Written by `npm run docs:reference` from the code. Change the code, not this page. -->';
  return `${[`# ${title}`, origin, ...parts].join('\n\n')}\n`;
}

/** Returns a block of printed text that is not run. */
export function toBlock(text: string, why: string): string {
  return `<!-- not run: ${why} -->\n\`\`\`text\n${text}\n\`\`\``;
}

const lineWidth = 130;
/** At the beginning of a line, this would start a list, a heading or a quotation. */
const sign = /^(?:\d+\.|[-+*#>]+)$/;

/** Links and code are not broken across lines. */
const words = /(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g;

/** Wraps a paragraph into lines that are readable in the source. */
export function toParagraph(text: string): string {
  const lines: string[] = [];
  for (const [word] of text.matchAll(words)) {
    const line = lines.at(-1);
    if (line === undefined || (line.length + word.length + 1 > lineWidth && !sign.test(word))) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

function widthOf(text: string): number {
  return [...text].length;
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
