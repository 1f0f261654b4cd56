// Checks those rules for the wording of comments that a script can check. `node scripts/comment-words.mjs` lists each
// comment that begins without a subject or uses a banned word, and fails if there is one. docs/contributing/words.md
// defines the words.
import { globSync, readFileSync } from 'node:fs';

const sources = '{server,portal,elements,bench,faults,conformance,scripts,deploy}/**/*.{ts,tsx,mjs}';
const excluded = /node_modules|\/dist\/|\/assets\//;
/** Examples: "Of what each database has found." and "Only where it is needed." */
const withoutSubject = /^(?:Of|As|Who|Whose|Whoever|Only|Once|Than|So|Also|Both)\b/;
const never = /\b(?:whoever|anew|on a way|where none is given)\b/i;
/** Matches a line that begins a comment or ends with one, and captures the text after the comment marker. */
const beginning = /^\s*(?:\/\*\*?|\/\/)\s+(?<whole>\S.*)$|\S\s+\/\/\s+(?<trailing>[A-Z].*)$/;
const continuation = /^\s*(?:\*(?!\/)|\/\/)\s*(?<more>.*)$/;

const problems = [];
for (const file of globSync(sources)
  .filter((name) => !excluded.test(name))
  .sort()) {
  for (const { text, line } of listComments(readFileSync(file, 'utf8').split('\n'))) {
    const place = `${file}:${line}`;
    const word = never.exec(text)?.[0];
    if (withoutSubject.test(text))
      problems.push(`${place}: the comment begins without a subject: ${text.slice(0, 70)}`);
    else if (word !== undefined) problems.push(`${place}: the comment uses "${word}": ${text.slice(0, 70)}`);
  }
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${problems.length} comments to rewrite\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function listComments(lines) {
  const comments = [];
  let open;
  for (const [index, content] of lines.entries()) {
    const more = open === undefined ? undefined : continuation.exec(content)?.groups.more;
    if (more !== undefined) {
      open.text += ` ${more}`;
      continue;
    }
    const found = beginning.exec(content)?.groups;
    open =
      found === undefined ? undefined : { text: (found.whole ?? found.trailing).replace('*/', ''), line: index + 1 };
    if (open !== undefined) comments.push(open);
    if (content.includes('*/') || found?.trailing !== undefined) open = undefined;
  }
  return comments;
}
