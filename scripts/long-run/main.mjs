#!/usr/bin/env node
// Runs the long form of a test or benchmark, and records the result in docs/contributing/long-runs.md.
//
//   main.mjs NAME COMMAND…    NAME is the name of the npm script
//
// Short forms, interrupted runs and CI runs are not recorded.
import { spawn, execFileSync } from 'node:child_process';
import { constants } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { withLastRun } from './page.mjs';

const page = 'docs/contributing/long-runs.md';
const [name, command, ...args] = process.argv.slice(2);
// The commit is read now, because it may change during a run that takes hours.
const commit = currentCommit();
const begin = Date.now();
const child = spawn(command, args, { stdio: 'inherit' });
// The terminal sends the signal to both processes. The child decides how to exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
  const isCounted = code !== null && code < 128 && process.env.CI === undefined && !args.includes('--short');
  if (!isCounted) return;
  // Absolute paths on this machine are of no use to others.
  const own = args.slice(args.indexOf('--') + 1).map((arg) => (arg.startsWith('/') ? '<folder>' : arg));
  const run = { date: new Date(begin).toISOString().slice(0, 10), commit, minutes: (Date.now() - begin) / 60_000 };
  writeFileSync(page, withLastRun(readFileSync(page, 'utf8'), name, { ...run, isPassed: code === 0, own }));
  execFileSync('node_modules/.bin/biome', ['format', '--write', page], { stdio: 'ignore' });
  console.log(`Written into ${page}. Commit it, so that others know.`);
});

function currentCommit() {
  const git = (...gitArgs) => execFileSync('git', gitArgs, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs') !== '';
  return `${git('rev-parse', '--short=8', 'HEAD')}${isChanged ? ' with changes' : ''}`;
}
