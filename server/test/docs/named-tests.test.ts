import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from './documentation.ts';

// `scripts/named-tests.mjs` fails if a page names a test that does not exist, as docs/security/threat-model.md does in
// the column "Shown by".

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-named-tests-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the lines that the script prints about a page. It fails if and only if it prints some. */
function check(page: string): Promise<readonly string[]> {
  const script = path.join(repository, 'scripts/named-tests.mjs');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, page], { cwd: repository, timeout: 60_000 }, (error, stdout, stderr) => {
      const lines = (stdout + stderr).split('\n').filter((line) => line !== '');
      if ((error !== null) === lines.length > 0) resolve(lines);
      else reject(new Error(`The script failed: ${String(error !== null)}, and printed: ${lines.join()}`));
    });
  });
}

/** Checks a page with one row in a table about what stops an attacker, beside the given tests. */
async function checkRow(proof: string, tests: string): Promise<readonly string[]> {
  const page = path.join(folder, 'page.md');
  await writeFile(path.join(folder, 'attack.test.ts'), tests);
  const rows = ['| Asset | What stops them | Shown by |', '| --- | --- | --- |', `| keys | a wall | ${proof} |`];
  await writeFile(page, `# A page\n\n${rows.join('\n')}\n\n[${kept}](attack.test.ts) is named in a sentence.\n`);
  return (await check(page)).map((line) => line.replaceAll(`${folder}/`, ''));
}

const kept = 'a thief › takes nothing';
const keptTest = `it('takes nothing', async () => { await test.query('select'); });`;
const withTest = (test: string) => `describe('a thief', () => { ${keptTest} ${test} });`;
const opens = '[a thief › opens no … with … of keys](attack.test.ts)';

describe('the threat model', () => {
  it('names tests that exist, at least one in each row about what stops an attacker', async () => {
    expect(await check('docs/security/threat-model.md')).toEqual([]);
  });
});

describe('a row', () => {
  it.each([
    ["it('opens no … with … of keys', () => undefined);"],
    ["it.each(doors)('opens no %s with $count.all of keys', () => undefined);"],
    ['it.runIf(isLong)(`opens no ${door} with ${count} of keys`, () => undefined);'],
  ])('may name %s', async (test) => {
    expect(await checkRow(opens, withTest(test))).toEqual([]);
  });

  it.each([
    ['renamed', "it('opens no door', () => undefined);"],
    ['skipped', "it.skip('opens no … with … of keys', () => undefined);"],
    ['yet to be written', "it.todo('opens no … with … of keys');"],
    ['in another group', "describe('at night', () => { it('opens no … with … of keys', () => undefined); });"],
    ['in a group that is skipped', "describe.skip('x', () => { it('opens no … with … of keys', () => undefined); });"],
    ['a group', "describe('opens no … with … of keys', () => undefined);"],
  ])('cannot name a test that is %s', async (_, test) => {
    expect(await checkRow(opens, withTest(test))).toEqual([
      'page.md:5 names the test "a thief › opens no … with … of keys", which attack.test.ts does not have',
    ]);
  });

  it('cannot name a file or a check that does not exist', async () => {
    expect(await checkRow('[x](gone.test.ts), [`check:nothing`](attack.test.ts.md)', withTest(''))).toEqual([
      'page.md:5 names a test of gone.test.ts, which does not exist',
      'page.md:5 names check:nothing, which package.json does not have',
    ]);
  });

  it('cannot do without a test', async () => {
    expect(await checkRow('a promise, [elsewhere](page.md)', withTest(''))).toEqual([
      'page.md:5 has a row without a test',
    ]);
  });

  it('may name a check of package.json instead', async () => {
    expect(await checkRow('[`check:lockfile`](lockfile.mjs)', withTest(''))).toEqual([]);
  });
});
