// Executes one guide in the current folder: node run-guide.mjs <guide.md>
//
// Runs every bash and sh block, in order, as one script. It also runs comments of the form `<!-- run … -->`, which
// perform the steps that a reader does by hand, such as clicking. A block that cannot be run must have a comment `<!--
// not run: why -->` before it. All other blocks must run. Each `✓ …` in a block is output that the guide promises, so
// it must be printed. A page with nothing to run passes if all its blocks have such a comment.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBlocks } from './markdown-blocks.mjs';

const [file = ''] = process.argv.slice(2);
const name = path.basename(file);
const startedAt = performance.now();
const lines = (await readFile(file, 'utf8')).split('\n');
const blocks = readBlocks(lines);
const unclear = blocks.find(({ isRun, reason }) => !isRun && reason === undefined);
if (unclear !== undefined)
  fail(unclear.at, 'begins a block that is not run; say why in a line before it: <!-- not run: why -->');
const toRun = blocks.filter(({ isRun }) => isRun);
if (toRun.length === 0) {
  console.log(`${name} has nothing to run`);
  process.exit();
}

// Lines that are not code become empty lines, so that line numbers in bash match those of the guide. The setup replaces
// the title in the first line.
const setup = `set -Eeuo pipefail; trap 'echo "$LINENO" >&3' ERR; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`;
const isCode = new Set(toRun.flatMap((block) => block.lines.map(({ at }) => at)));
await writeFile('guide.sh', [setup, ...lines.slice(1).map((line, at) => (isCode.has(at + 1) ? line : ''))].join('\n'));
const { code, output, failedLines } = await run('guide.sh');

// A failing nested command is reported first. The last failed line is the one that ended the script.
const failedLine = failedLines.at(-1);
if (code !== 0 && failedLine !== undefined) fail(failedLine, `failed with status ${code}`);
const claims = toRun.flatMap(claimsOf);
const missing = claims.find(({ text }) => !output.includes(text));
if (missing !== undefined) fail(missing.at, `did not show: ${missing.text}`);
if (code !== 0) fail(0, `ended with status ${code}`);
if (claims.length === 0) fail(0, 'shows nothing: no block prints a line with ✓');
const shown = output.split('\n').filter((line) => line.startsWith('✓')).length;
console.log(`${name} works: ${shown} things shown in ${seconds()} s`);

/** Returns the output that a block promises: the text after each ✓, up to the first value in it. */
function claimsOf(block) {
  return block.lines.flatMap(({ at, line }) =>
    [...line.matchAll(/✓[^"'$\\`]*/g)].map(([text]) => ({ at, text: text.trimEnd() })),
  );
}

function run(script) {
  return new Promise((resolve, reject) => {
    const bash = spawn('bash', [script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    let output = '';
    let failed = '';
    bash.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    bash.stdio[3].setEncoding('utf8').on('data', (text) => (failed += text));
    bash.once('error', reject);
    bash.once('close', (code) => {
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
