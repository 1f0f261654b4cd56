// Checks every page of the documentation without running it. Links must lead to existing files and headings.
// `scripts/run-guides` must run each code block, or the page must say why it does not.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { headingsOf, linksOf } from './markdown-links.mjs';
import { readBlocks } from './markdown-blocks.mjs';
import { withShownFiles } from './shown-files.mjs';
import { namesIn } from './long-run/page.mjs';

/** The pages that `scripts/run-guides` runs. */
const isRunPage = (file) => /^docs\/(guides\/.*|(start|concepts|operate)\/[^/]+|upgrading\.md)$/.test(file);
const files = globSync(['*.md', 'docs/**/*.md', '{server,elements,deploy,examples}/**/*.md'], {
  exclude: (name) => /node_modules|server\/assets/.test(name),
});
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const problems = [
  ...[...texts].flatMap(([file, text]) => [
    ...findDeadLinks(file, text),
    ...findUnclearBlocks(file, text),
    ...findOldFiles(file, text),
    ...findUnlinked(file, text),
    ...findNamelessColumns(file, text),
  ]),
  ...findUnlistedRuns(texts.get('docs/contributing/long-runs.md') ?? ''),
  ...findMisnumberedDecisions(),
];

for (const problem of problems) console.error(problem);
console.log(`${files.length} pages, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function findDeadLinks(file, text) {
  return linksOf(text).flatMap(({ at, target }) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [relative = '', heading] = target.split('#');
    const found = relative === '' ? file : path.normalize(path.join(path.dirname(file), relative));
    if (!existsSync(found)) return [`${file}:${at + 1} links to ${target}, which does not exist`];
    if (heading === undefined || !found.endsWith('.md')) return [];
    if (headingsOf(texts.get(found) ?? readFileSync(found, 'utf8')).has(heading)) return [];
    return [`${file}:${at + 1} links to the heading #${heading}, which ${found} does not have`];
  });
}

/**
 * Finds blocks that are neither run nor marked as not run. Files outside the documentation are skipped, because nobody
 * follows a README or an ADR step by step. A page that is executed marks each block, because only then a new one is noticed.
 */
function findUnclearBlocks(file, text) {
  if (!file.startsWith('docs/') || file.startsWith('docs/adr/')) return [];
  if (!isRunPage(file) && /^<!-- no block is run: .+ -->$/m.test(text)) return [];
  const unclear = readBlocks(text.split('\n')).filter(
    ({ isRun, isResponse, reason, file: shown }) =>
      reason === undefined && shown === undefined && !((isRun || isResponse) && isRunPage(file)),
  );
  return unclear.map(({ at }) => `${file}:${at + 1} is not run; say why in a line before it: <!-- not run: why -->`);
}

/** Finds blocks that show a file as it was: `scripts/shown-files.mjs` writes it into the page again. */
function findOldFiles(file, text) {
  if (text === withShownFiles(file, text)) return [];
  return [`${file} shows a file that has changed. Run: node scripts/shown-files.mjs`];
}

/** Finds tables with an empty heading, which says nothing to somebody who listens to the page. */
function findNamelessColumns(file, text) {
  const lines = text.split('\n');
  const isHeading = (at) => lines[at].startsWith('|') && /^\|[ :|-]+\|$/.test(lines[at + 1] ?? '');
  return lines.flatMap((line, at) =>
    isHeading(at) && /\|\s*\|/.test(line) ? [`${file}:${at + 1} has a column without a heading`] : [],
  );
}

/** Finds concepts that link to no guide or first steps, guides that link to no concept, and either without the reference. */
function findUnlinked(file, text) {
  const kind = /^docs\/(concepts|guides)\/[^/]+\.md$/.exec(file)?.[1];
  if (kind === undefined) return [];
  const other = kind === 'concepts' ? ['guides', 'start'] : ['concepts'];
  const targets = linksOf(text).map(({ target }) => target);
  return [other, ['reference']]
    .filter((folders) => !targets.some((target) => folders.some((folder) => target.startsWith(`../${folder}/`))))
    .map((folders) => `${file} links to no page in ${folders.join(' or ')}`);
}

/** Finds long runs that the page about them does not list, and rows that belong to no long run. */
function findUnlistedRuns(page) {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const runs = Object.keys(scripts).filter((name) => scripts[name].includes(`scripts/long-run/main.mjs ${name} `));
  const listed = namesIn(page);
  return [
    ...runs.filter((name) => !listed.includes(name)).map((name) => `long-runs.md has no row for npm run ${name}`),
    ...listed
      .filter((name) => !runs.includes(name))
      .map((name) => `long-runs.md lists npm run ${name}, which does not write into it`),
  ];
}

/** Finds decision records that share a number, or whose heading has another number than their file. */
function findMisnumberedDecisions() {
  const records = files.filter((file) => file.startsWith('docs/adr/'));
  const numberOf = (file) => Number(path.basename(file).slice(0, 4));
  const misnamed = records.filter((file) => !texts.get(file).startsWith(`# ${numberOf(file)}. `));
  const repeated = records.filter((file) => records.filter((other) => numberOf(other) === numberOf(file)).length > 1);
  return [
    ...misnamed.map((file) => `${file} does not begin with "# ${numberOf(file)}. "`),
    ...repeated.map((file) => `${file} has the number of another record`),
  ];
}
