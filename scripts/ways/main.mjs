#!/usr/bin/env node
// Draws the paths of four requests through the server into ARCHITECTURE.md, based on the imports of the files involved.
//
//   main.mjs write    draws them
//   main.mjs check    fails if a drawing is not the current one, or if a file is not connected with the others of its drawing
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { importsOf } from './imports.mjs';
import { ways } from './ways.mjs';

const folder = 'server/src';
const page = 'ARCHITECTURE.md';
const text = readFileSync(page, 'utf8');
const problems = [];
const drawn = Object.entries(ways).reduce((soFar, [name, way]) => withDrawing(soFar, name, draw(way)), text);
if (process.argv[2] === 'write') writeFileSync(page, drawn);
else if (drawn !== text) problems.push(`The ways in ${page} are not current. Run: node scripts/ways/main.mjs write`);
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

function withDrawing(whole, name, drawing) {
  const [begin, end] = [`<!-- way: ${name} -->`, `<!-- end of way: ${name} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from === -1 || to === -1) {
    problems.push(`${page} has no place for the way ${name}: ${begin} and ${end}`);
    return whole;
  }
  return `${whole.slice(0, from + begin.length)}\n\n${drawing}\n\n${whole.slice(to)}`;
}
