// Checks that the tests that a page names exist.
//
// `node scripts/named-tests.mjs <page>` reads every link from a page to a test file. The text of such a link is the
// title of a test in that file, after the titles of the groups around it: "a public key › reads no token". A value that
// a test inserts into its title is written as "…". Each row of a table with the column "Shown by" names at least one
// test, or a check of package.json. Tests that are always skipped do not count.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';

const link = /\[((?:[^\]\\]|\\.)+)\]\(([^)\s#]+)\)/g;
/** What `it.each` replaces in a title. */
const inserted = /%[a-zA-Z]|\$[a-z][\w.]*/g;
const modifiersThatRun = ['each', 'for', 'only', 'concurrent', 'sequential', 'runIf', 'skipIf'];
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** The titles of the tests of each file that was read, by its path. */
const known = new Map();

const problems = process.argv.slice(2).flatMap(findProblems);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function findProblems(page) {
  const lines = readFileSync(page, 'utf8').split('\n');
  const references = lines.flatMap((line, at) => referencesIn(line, path.dirname(page)).map((one) => ({ ...one, at })));
  if (references.length === 0) return [`${page} names no tests`];
  const proven = new Set(references.map(({ at }) => at));
  return [
    ...references.flatMap(({ at, problem }) => (problem === undefined ? [] : [`${page}:${at + 1} ${problem}`])),
    ...rowsWithProofs(lines).flatMap((at) => (proven.has(at) ? [] : [`${page}:${at + 1} has a row without a test`])),
  ];
}

/** Returns the tests and checks that a line names, each with what is wrong with it. */
function referencesIn(line, folder) {
  return [...line.matchAll(link)].flatMap(([, text, target]) => {
    const file = path.join(folder, target);
    const name = text.replaceAll(/\\(.)/g, '$1').replaceAll('`', '');
    if (/\.test\.tsx?$/.test(file)) return [{ problem: problemOfTest(file, name) }];
    if (!name.startsWith('check:')) return [];
    return [{ problem: scripts[name] === undefined ? `names ${name}, which package.json does not have` : undefined }];
  });
}

function problemOfTest(file, title) {
  if (!existsSync(file)) return `names a test of ${file}, which does not exist`;
  if (!titlesIn(file).has(title)) return `names the test "${title}", which ${file} does not have`;
  return undefined;
}

/** Returns the rows, without the two of the heading, of each table that says what shows its rows. */
function rowsWithProofs(lines) {
  let begin = lines.length;
  return lines.flatMap((line, at) => {
    if (!line.startsWith('|')) begin = lines.length;
    else if (/\| Shown by +\|$/.test(line)) begin = at + 2;
    return at >= begin ? [at] : [];
  });
}

function titlesIn(file) {
  const titles = known.get(file) ?? new Set();
  if (!known.has(file)) {
    known.set(file, titles);
    collect(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', tsx: file.endsWith('x') }), [], titles);
  }
  return titles;
}

/** Adds the titles of all tests below a node of the syntax tree. */
function collect(node, groups, titles) {
  if (node === null || typeof node !== 'object') return;
  const { name, modifiers } = node.type === 'CallExpression' ? calledBy(node.callee) : { modifiers: [] };
  const isTest = ['describe', 'it', 'test'].includes(name);
  // What is in `it.skip` or `it.todo` does not run, and `test.query()` is a call of something else.
  if (isTest && !modifiers.every((modifier) => modifiersThatRun.includes(modifier))) return;
  const title = isTest ? textOf(node.arguments[0]?.expression) : undefined;
  const within = title === undefined ? groups : [...groups, title.replaceAll(inserted, '…')];
  if (title !== undefined && name !== 'describe') titles.add(within.join(' › '));
  for (const value of Object.values(node)) collect(value, within, titles);
}

/** Returns the name that `it.each(cases)` or `describe.skipIf(reason)` begins with, and the names after it. */
function calledBy(callee) {
  if (callee.type === 'Identifier') return { name: callee.value, modifiers: [] };
  if (callee.type === 'CallExpression') return calledBy(callee.callee);
  if (callee.type !== 'MemberExpression') return { modifiers: [] };
  const { name, modifiers } = calledBy(callee.object);
  return { name, modifiers: [...modifiers, callee.property.value] };
}

/** Returns the text of a string or a template. Returns undefined for everything else. */
function textOf(node) {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ cooked, raw }) => cooked ?? raw).join('…');
}
