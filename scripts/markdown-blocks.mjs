/**
 * Returns the code blocks of a page with their lines, counted from 0. Bash and sh blocks are run, and so are comments
 * of the form `<!-- run … -->`. A comment `<!-- not run: why -->` before a block explains why it is not run.
 */
export function readBlocks(lines) {
  const blocks = [];
  let open;
  let reason;
  for (const [at, line] of lines.entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (open !== undefined) {
      if (line === open.end) open = undefined;
      else open.lines.push({ at, line });
      continue;
    }
    const isComment = line === '<!-- run';
    if (fence !== null || isComment) {
      open = { language: isComment ? 'sh' : fence[1], end: isComment ? '-->' : '```', reason, lines: [], at };
      open.isRun = reason === undefined && ['bash', 'sh'].includes(open.language);
      blocks.push(open);
    }
    if (line !== '') reason = /^<!-- not run: (.+) -->$/.exec(line)?.[1];
  }
  return blocks;
}
