// Executes one guide in the current folder: node run-guide.mjs <guide.md>
//
// Runs every bash and sh block, in order, as one script, and afterwards the blocks of each other language as one program.
// It also runs comments of the form `<!-- run … -->`: checks, and steps that a reader does by hand, such as clicking. They
// find the output of the block before them in the file $OUTPUT.
//
// A JSON or text block after a block is what the block prints; `guide-response.mjs` compares them. If the same call is shown
// in several languages, each of them must print it. A line `export NAME=…   # .member` takes a value from the output before
// it, as a reader would by hand. Each `✓ …` in a block is printed text too. A block that cannot be run needs a comment
// `<!-- not run: why -->` before it. A page with nothing to run passes if all its blocks have such a comment.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { splitOutput, toPrograms } from './guide-programs.mjs';
import { findDifference } from './guide-response.mjs';
import { groupTabs, programLanguages, readBlocks } from './markdown-blocks.mjs';

/** The maximum time of a page. The slowest takes about a minute on a busy machine. */
const pageSecondsMax = 300;
const [file = ''] = process.argv.slice(2);
const name = path.basename(file);
const startedAt = performance.now();
const lines = (await readFile(file, 'utf8')).split('\n');
const blocks = readBlocks(lines);
const unclear = blocks.find((block) => !block.isRun && !block.isResponse && !block.reason && !block.file);
if (unclear !== undefined)
  fail(unclear.at, 'begins a block that is not run; say why in a line before it: <!-- not run: why -->');
const toRun = blocks.filter(({ isRun }) => isRun);
if (toRun.length === 0) {
  console.log(`${name} has nothing to run`);
  process.exit();
}

const outputs = path.resolve('guide-outputs');
const programs = toPrograms(blocks, lines.length);
await rm(outputs, { recursive: true, force: true });
await mkdir(outputs);
for (const program of programs) await writeFile(program.file, program.text);
await writeFile('guide.sh', toScript());
const { code, output, failedLines } = await run('guide.sh');

// A failing nested command is reported first. The last failed line is the one that ended the script.
const failedLine = failedLines.at(-1);
if (code !== 0 && failedLine !== undefined) fail(failedLine, `failed with status ${code}`);
const claims = toRun.flatMap(claimsOf);
const missing = claims.find(({ text }) => !output.includes(text));
if (missing !== undefined) fail(missing.at, `did not show: ${missing.text}`);
if (code !== 0) fail(0, `ended with status ${code}`);
const compared = await compareResponses();
if (claims.length === 0 && compared === 0)
  fail(0, 'shows nothing: no block prints a line with ✓, or has its response after it');
const shown = output.split('\n').filter((line) => line.startsWith('✓')).length;
console.log(`${name} works: ${shown + compared} things shown in ${seconds()} s`);

/**
 * Lines that are not code become empty lines, so that line numbers in bash match those of the guide. The setup replaces the
 * title in the first line, and the fences of a block write its output into a file.
 */
function toScript() {
  const setup = `set -Eeuo pipefail; trap 'echo "$LINENO" >&3' ERR; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`;
  const script = [setup, ...lines.slice(1).map(() => '')];
  for (const block of toRun.filter(({ language }) => !programLanguages.includes(language))) {
    for (const { at, line } of block.lines) script[at] = line.replace(/^export (\w+)=…\s+# (\S+).*$/, takeValue);
    if (block.isHidden || block.lines.every(({ line }) => /^export \w+=…/.test(line))) continue;
    const target = `'${path.join(outputs, String(block.at))}'`;
    script[block.at] = '{';
    script[block.endAt] = `} > ${target}; OUTPUT=${target}; cat "$OUTPUT"`;
  }
  return [...script, ...programs.map(({ command, output }) => `${command} > ${output}`), ''].join('\n');
}

/** The value must be there: `null` would let the next call fail for a reason that is hard to see. */
function takeValue(_, variable, member) {
  return `${variable}=$(jq -er '${member}' "$OUTPUT"); export ${variable}`;
}

/** Compares each response on the page with what the blocks before it printed. Returns how many were compared. */
async function compareResponses() {
  const printed = new Map();
  for (const program of programs)
    for (const [at, text] of splitOutput(await readFile(program.output, 'utf8'))) printed.set(at, text);
  const tabs = groupTabs(lines, blocks);
  let count = 0;
  for (const [index, response] of blocks.entries()) {
    if (!response.isResponse) continue;
    const before = blocks[index - 1];
    for (const block of tabs.find((group) => group.includes(before)) ?? [before]) {
      const text = printed.get(block.at) ?? (await readFile(path.join(outputs, String(block.at)), 'utf8'));
      const shown = response.lines.map(({ line }) => line).join('\n');
      const difference = findDifference({ language: response.language, shown, printed: text });
      if (difference !== undefined) fail(block.at, `does not print what the page shows: ${difference}`);
      count += 1;
    }
  }
  return count;
}

/** Returns the output that a block promises: the text after each ✓, up to the first value in it. */
function claimsOf(block) {
  return block.lines.flatMap(({ at, line }) =>
    [...line.matchAll(/✓[^"'$\\`]*/g)].map(([text]) => ({ at, text: text.trimEnd() })),
  );
}

function run(script) {
  return new Promise((resolve, reject) => {
    const bash = spawn('bash', [script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const limit = setTimeout(() => {
      console.error(`\n${name} still runs after ${seconds()} s, so a command or a loop in it waits for something.`);
      bash.kill();
      process.exit(1);
    }, pageSecondsMax * 1_000);
    let output = '';
    let failed = '';
    bash.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    bash.stdio[3].setEncoding('utf8').on('data', (text) => (failed += text));
    bash.once('error', reject);
    bash.once('close', (code) => {
      clearTimeout(limit);
      const failedLines = failed
        .split('\n')
        .filter(Boolean)
        .map((number) => Number(number) - 1);
      resolve({ code, output, failedLines });
    });
  });
}

/** Fails, and shows the block that contains the line. */
function fail(at, why) {
  const block = blocks.find((block) => block.at === at || block.lines.some((line) => line.at === at));
  console.error(`\n${file}:${at + 1} ${why}\n`);
  for (const { at: number, line } of block?.lines ?? [])
    console.error(`${number === at ? '>' : ' '} ${number + 1}  ${line}`);
  console.error(`\n${name} does not work, after ${seconds()} s`);
  process.exit(1);
}

function seconds() {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}
