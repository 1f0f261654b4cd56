#!/usr/bin/env node
// Finds the compiled program. Kept as plain JavaScript so that it can explain what is missing on any Node version.
import { existsSync, readFileSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
const major = Number(process.versions.node.split('.')[0]);

if (major < 24) {
  // In a checkout, npm starts programs with the Node.js that the packages bring. An installed package has to be told to.
  const isCheckout = existsSync(new URL('../src/main.ts', import.meta.url));
  const command = ['strongroom', ...process.argv.slice(2)].join(' ');
  const advice = isCheckout
    ? 'Run "npm ci", and start it with "npx strongroom" in this folder: npm then uses the Node.js 24 of this repository.'
    : `Install Node.js 24 from https://nodejs.org, or let npm download it: npx --package=node@24 --package=${givenToNpx()} ${command}`;
  process.stderr.write(`Strongroom needs Node.js 24 or newer; this is ${process.version}. ${advice}\n`);
  process.exit(1);
}
if (!existsSync(program)) {
  process.stderr.write('Strongroom is not built yet. Run `npm run build` first.\n');
  process.exit(1);
}
// SIGUSR1 would open Node's inspector to everybody on this machine, and with it every key in memory. Only this flag keeps
// the inspector shut from the very first instruction on; the process stays the same one.
const flag = '--disable-sigusr1';
if (!process.execArgv.includes(flag) && process.execve !== undefined) {
  process.execve(process.execPath, [process.execPath, flag, ...process.execArgv, ...process.argv.slice(1)]);
}
await import(program.href);

/** Returns what npx was told to run: a name, or the file of a release. npx notes it beside the packages that it installs. */
function givenToNpx() {
  try {
    const { _npx } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    return _npx.packages.length === 1 ? _npx.packages[0] : 'strongroom';
  } catch {
    return 'strongroom';
  }
}
