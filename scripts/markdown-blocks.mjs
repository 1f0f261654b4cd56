/** Languages of blocks that are executed: the shell commands of a page as one script, and each other language as one program. */
export const programLanguages = ['ts', 'python', 'go'];
const shells = ['bash', 'sh'];
/** What the site calls each language that can be a tab. */
export const tabLabels = {
  bash: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  js: 'JavaScript',
  jsx: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
};

/**
 * Returns the code blocks of a page with their lines, counted from 0.
 *
 * - `isRun`: shell commands, programs, and comments of the form `<!-- run … -->`, which readers do not see.
 * - `isResponse`: a JSON or text block after a block that is run. It shows what that block prints.
 * - `file`: the path of the file that the block shows as a whole, from a comment `<!-- file: path -->` before it.
 * - `reason`: the text of a comment `<!-- not run: why -->` before the block.
 */
export function readBlocks(lines) {
  const blocks = [];
  let open;
  let note;
  for (const [at, line] of lines.entries()) {
    if (open !== undefined) {
      if (line === open.end) {
        open.endAt = at;
        open = undefined;
      } else open.lines.push({ at, line });
      continue;
    }
    const fence = /^```(.*)$/.exec(line);
    const isHidden = line === '<!-- run';
    if (fence !== null || isHidden) {
      const language = isHidden ? 'sh' : fence[1].split(' ')[0];
      open = { language, end: isHidden ? '-->' : '```', isHidden, at, lines: [], ...note };
      blocks.push(Object.assign(open, useOf(open, blocks.at(-1))));
    }
    if (line !== '') note = noteOf(line);
  }
  return blocks;
}

/** Returns groups of blocks in different languages that follow one another directly: the site shows them as tabs. */
export function groupTabs(lines, blocks) {
  const groups = [];
  for (const [index, block] of blocks.entries()) {
    const group = groups.at(-1);
    const before = blocks[index - 1];
    const isNext =
      before !== undefined &&
      group.every((other) => isTab(other) && other.language !== block.language) &&
      isTab(block) &&
      lines.slice(before.endAt + 1, block.at).every((line) => line === '' || /^<!-- file: .* -->$/.test(line));
    if (isNext) group.push(block);
    else groups.push([block]);
  }
  return groups.filter((group) => group.length > 1);
}

function isTab({ language, isHidden }) {
  return !isHidden && language in tabLabels;
}

function useOf({ language, reason, file, isHidden }, before) {
  const isRun = reason === undefined && file === undefined && [...shells, ...programLanguages].includes(language);
  const isResponse =
    !isHidden &&
    reason === undefined &&
    ['json', 'text'].includes(language) &&
    before?.isRun === true &&
    !before.isHidden;
  return { isRun, isResponse };
}

function noteOf(line) {
  const [, kind, text] = /^<!-- (not run|file): (.+) -->$/.exec(line) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'file' ? { file: text } : { reason: text };
}
