import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export const repository = path.resolve(import.meta.dirname, '../../..');

/** Returns the pages of docs/ by path, without architecture decision records, because those describe the past. */
export async function readDocumentation(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(path.join(repository, 'docs'), { recursive: true });
  const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('adr')).toSorted();
  return new Map(
    await Promise.all(
      pages.map(async (name) => [name, await readFile(path.join(repository, 'docs', name), 'utf8')] as const),
    ),
  );
}

/** Returns true if the name occurs in the text as a whole, not as part of a longer name or word. */
export function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`).test(text);
}

/** Returns the text under a heading, up to the next one. */
export function sectionOf(page: string, heading: string): string {
  const [, section = ''] = new RegExp(`^#+ ${escaped(heading)}\\n(.*?)(?=^#+ |(?![^]))`, 'ms').exec(page) ?? [];
  return section;
}

/**
 * Returns the cells of every table row in a text, including headings and rules. Pipes in cells are escaped on the page.
 */
export function rowsIn(text: string): string[][] {
  const rows = text.match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|')),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
