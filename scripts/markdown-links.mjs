import { readBlocks } from './markdown-blocks.mjs';

/** Returns the links of a page outside of code. Lines are counted from 0. */
export function linksOf(text) {
  return proseOf(text).flatMap(({ at, line }) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ at, target })),
  );
}

/** Returns the anchors of headings, in the form that code hosts and the site generate. */
export function headingsOf(text) {
  const names = new Set();
  for (const { line } of proseOf(text)) {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const name = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let unique = name;
    for (let count = 1; names.has(unique); count += 1) unique = `${name}-${count}`;
    names.add(unique);
  }
  return names;
}

function proseOf(text) {
  const lines = text.split('\n');
  const code = new Set(readBlocks(lines).flatMap((block) => block.lines.map(({ at }) => at)));
  return lines.flatMap((line, at) => (code.has(at) ? [] : [{ at, line }]));
}
