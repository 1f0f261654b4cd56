#!/usr/bin/env node
// Reads the reports of test runs.
//
//   test-report.mjs failed REPORT         lists the files that failed, one per line
//   test-report.mjs merge REPORT AGAIN    merges the results of a second run of some files into the first report
//   test-report.mjs slowest REPORT…       lists the files that took longest, and their share of the time of all files
//   test-report.mjs sum REPORT…           prints failures by name, then `N passed, N failed`
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const commands = { failed: printFailed, merge, slowest, sum };
const [command, ...reports] = process.argv.slice(2);
commands[command](...reports);

function printFailed(path) {
  for (const file of read(path).testResults.filter(isFailed)) say(file.name);
}

/**
 * Merges a second run into a report. The result of the second run counts, but failures of the first are kept and
 * reported as unsteady.
 */
function merge(path, pathAgain) {
  const again = new Map(read(pathAgain).testResults.map((file) => [file.name, file]));
  const report = read(path);
  report.testResults = report.testResults.map((first) => {
    const second = again.get(first.name);
    return second === undefined ? first : { ...second, unsteady: failuresOf(first) };
  });
  writeFileSync(path, JSON.stringify(report));
}

function slowest(...paths) {
  const files = paths
    .flatMap((path) => read(path).testResults)
    .map(({ name, startTime = 0, endTime = 0 }) => {
      return { name: relative(process.cwd(), name), seconds: (endTime - startTime) / 1_000 };
    });
  const whole = files.reduce((seconds, file) => seconds + file.seconds, 0);
  for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 25)) {
    say(`${seconds.toFixed(0).padStart(5)} s  ${((100 * seconds) / whole).toFixed(1).padStart(4)} %  ${name}`);
  }
  say(`${whole.toFixed(0).padStart(5)} s  all ${files.length} files`);
}

function sum(...paths) {
  let passed = 0;
  let failed = 0;
  for (const report of paths.map(read)) {
    passed += report.otherPassed;
    failed += report.otherFailed;
    for (const file of report.testResults) {
      const failures = failuresOf(file);
      passed += file.assertionResults.filter(({ status }) => status === 'passed').length;
      failed += failures.length;
      for (const failure of failures) describe('Failed', file, failure);
      if (failures.length === 0) for (const failure of file.unsteady ?? []) describe('Unsteady', file, failure);
    }
  }
  say(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Reads a report. A run without a report has failed. A report of the benchmark contains only counts, no files. */
function read(path) {
  if (!existsSync(path)) return { otherPassed: 0, otherFailed: 0, testResults: [missing(path)] };
  const report = JSON.parse(readFileSync(path, 'utf8'));
  if (report.testResults !== undefined) return { ...report, otherPassed: 0, otherFailed: 0 };
  return { otherPassed: report.numPassedTests, otherFailed: report.numFailedTests, testResults: [] };
}

function missing(path) {
  return { name: path, status: 'failed', message: 'It ended without a report.', assertionResults: [] };
}

function isFailed(file) {
  return file.status !== 'passed' || file.assertionResults.some(isUnfinished);
}

/**
 * Returns true if a test did not finish because its process exited. The file itself is then reported as passed. Skipped
 * tests have another status.
 */
function isUnfinished({ status }) {
  return status === 'pending';
}

function failuresOf(file) {
  const failures = file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ name: fullName, message: failureMessages[0] ?? '' }));
  if (failures.length > 0 || !isFailed(file)) return failures;
  return [{ name: 'the file itself', message: file.message || 'It ended before its tests did.' }];
}

/** Prints a failure. The first lines of its message show the expected and the actual value. */
function describe(word, file, { name, message }) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, 12);
  say(`${word}: ${relative(process.cwd(), file.name)} > ${name}\n${lines.map((line) => `    ${line}`).join('\n')}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
