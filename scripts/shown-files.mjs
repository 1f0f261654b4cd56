// Writes files into the pages that show them, into the blocks after a comment `<!-- file: path -->`, where the path begins at
// the root of the repository: node scripts/shown-files.mjs
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { readBlocks } from './markdown-blocks.mjs';

/** Returns the text of a page with the present content of the files that it shows. */
export function withShownFiles(page, text) {
  const lines = text.split('\n');
  for (const { file, at, endAt } of readBlocks(lines).toReversed()) {
    if (file === undefined) continue;
    if (!/^[\w./-]+$/.test(file) || file.includes('..')) throw new Error(`${page} shows the file ${file}`);
    lines.splice(at + 1, endAt - at - 1, ...readFileSync(file, 'utf8').trimEnd().split('\n'));
  }
  return lines.join('\n');
}

if (import.meta.main) {
  for (const page of globSync('docs/**/*.md')) {
    const text = readFileSync(page, 'utf8');
    const written = withShownFiles(page, text);
    if (written !== text) writeFileSync(page, written);
  }
}
