import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const outputMax = 64 * 1_024 * 1_024;

/** The environment of a makers' suite: their repository, and the vault in place of their service. */
export interface SuiteRun {
  readonly folder: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The names of the tests that passed, and of all tests. */
export interface SuiteResult {
  readonly passed: readonly string[];
  readonly all: readonly string[];
}

/** Runs a suite written for Jest with Vitest, which provides the same functions. */
export async function runNodeSuite({ folder, file, environment }: SuiteRun): Promise<SuiteResult> {
  const vitest = path.resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const text = await withReport((report) =>
    run(
      process.execPath,
      [vitest, 'run', file, '--globals', '--root', folder, '--reporter=json', `--outputFile=${report}`],
      { cwd: folder, environment },
    ),
  );
  const { testResults } = JSON.parse(text) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName.trim()),
    all: tests.map(({ fullName }) => fullName.trim()),
  };
}

/**
 * Runs a suite with pytest. `CONFORMANCE_PYTHON` names an interpreter that has pytest and the client's dependencies.
 */
export async function runPythonSuite({ folder, file, environment }: SuiteRun): Promise<SuiteResult> {
  const python = process.env['CONFORMANCE_PYTHON'] ?? 'python3';
  const text = await withReport((report) =>
    run(python, ['-m', 'pytest', file, '-q', '-p', 'no:cacheprovider', `--junit-xml=${report}`], {
      cwd: folder,
      environment: { ...environment, PYTHONPATH: path.join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
    }),
  );
  const cases = text.split('<testcase ').slice(1);
  const nameOf = (one: string) => / ?name="([^"]*)"/.exec(one.replace(/^classname="[^"]*"/, ''))?.[1] ?? '';
  const isPassed = (one: string) => !/<(?:failure|error|skipped)\b/.test(one);
  return { passed: cases.filter(isPassed).map(nameOf), all: cases.map(nameOf) };
}

/** Returns the report. A suite with failing tests exits with an error, but its report names them. */
async function withReport(write: (file: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-makers-'));
  const file = path.join(folder, 'report');
  try {
    await write(file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(
  program: string,
  parameters: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string>> },
): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment };
  return new Promise((resolve) => {
    execFile(program, parameters, { cwd, env, maxBuffer: outputMax }, () => resolve());
  });
}
