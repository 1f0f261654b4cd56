#!/usr/bin/env node
// Draws the paths of four requests through the server into ARCHITECTURE.md, based on the imports of the files involved,
// and lists the types that a value passes through, with their meaning from the comments in the code.
//
//   main.mjs write    writes both
//   main.mjs check    fails if either is not current, or if a file is not connected with the others of its drawing
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { importsOf } from './imports.mjs';
import { shapes, ways } from './ways.mjs';

const folder = 'server/src';
const page = 'ARCHITECTURE.md';
const text = readFileSync(page, 'utf8');
const problems = [];
const parts = [...Object.entries(ways).map(([name, way]) => [`way: ${name}`, draw(way)]), ['shapes', listShapes()]];
const drawn = parts.reduce((soFar, [name, part]) => withPart(soFar, name, part), text);
if (process.argv[2] === 'write') writeFileSync(page, drawn);
else if (drawn !== text)
  problems.push(`The ways or shapes in ${page} are not current. Run: node scripts/ways/main.mjs write`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function draw({ stations }) {
  const files = stations.map(([file]) => file);
  for (const file of files.filter((one) => !existsSync(`${folder}/${one}`))) problems.push(`${file} does not exist`);
  const present = files.filter((file) => existsSync(`${folder}/${file}`));
  const arrows = present.flatMap((file) =>
    [...new Set(importsOf(folder, file))].filter((other) => present.includes(other)).map((other) => [file, other]),
  );
  for (const file of present.filter((one) => !arrows.some((arrow) => arrow.includes(one))))
    problems.push(`${file} neither imports nor is imported by another file on its way`);
  const nodeOf = (file) => `s${files.indexOf(file) + 1}`;
  return [
    '```mermaid',
    'flowchart TD',
    ...stations.map(([file, words], index) => `  ${nodeOf(file)}["${index + 1}. ${file}<br/>${words}"]`),
    ...arrows.map(([from, to]) => `  ${nodeOf(from)} --> ${nodeOf(to)}`),
    '```',
  ].join('\n');
}

function listShapes() {
  const rows = shapes.map(([shape, file], index) => [
    `${index + 1}`,
    `\`${shape}\``,
    meaningOf(shape, file),
    `\`${file}\``,
  ]);
  const table = [['No.', 'Shape', 'Meaning', 'Defined in'], ...rows];
  const widths = table[0].map((_, column) => Math.max(3, ...table.map((row) => row[column].length)));
  const lines = table.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`);
  return [lines[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.slice(1)].join('\n');
}

/** Returns the comment of an exported type as one line. */
function meaningOf(shape, file) {
  const source = readFileSync(`${folder}/${file}`, 'utf8');
  const comment = /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport (?:interface|type|const) (\w+)/g;
  const found = [...source.matchAll(comment)].find(([, , name]) => name === shape);
  if (found === undefined) problems.push(`${file} has no exported ${shape} with a comment that says what it means`);
  return (found?.[1] ?? '').replaceAll(/\n \*/g, ' ').replaceAll(/\s+/g, ' ').trim();
}

function withPart(whole, name, part) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from === -1 || to === -1) {
    problems.push(`${page} has no place for this part: ${begin} and ${end}`);
    return whole;
  }
  return `${whole.slice(0, from + begin.length)}\n\n${part}\n\n${whole.slice(to)}`;
}
