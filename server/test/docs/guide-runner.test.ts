import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from './documentation.ts';

// `scripts/run-guide.mjs` fails if a page shows a response that its commands do not print.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-guide-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Outcome {
  readonly isGood: boolean;
  readonly printed: string;
}

/** Runs a page with the given parts. */
async function runPage(...parts: readonly string[]): Promise<Outcome> {
  await writeFile(path.join(folder, 'page.md'), ['# A page', ...parts, ''].join('\n\n'));
  const script = path.join(repository, 'scripts/run-guide.mjs');
  const env = { ...process.env, GUIDES: path.join(repository, 'docs/guides') };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, 'page.md'], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ isGood: error === null, printed: stdout + stderr });
    });
  });
}

const block = (language: string, ...lines: readonly string[]) => [`\`\`\`${language}`, ...lines, '```'].join('\n');
const bash = block('bash', `echo '{"id": "card-1", "data": {"number": "XXXX4242"}, "list": [1, 2]}'`);
const ts = block('ts', `console.log({ id: 'card-2', data: { number: 'XXXX4242' }, list: [1, 2] });`);
const python = block('python', `print({"id": "card-3", "data": {"number": "XXXX4242"}, "list": [1, 2]})`);
const go = block('go', 'fmt.Println(`{"id": "card-4", "data": {"number": "XXXX4242"}, "list": [1, 2]}`)');
const shown = (text: string) => block('json', text);
const whole = shown('{ "id": "card-…", "data": { "number": "XXXX4242" }, "list": [1, "…"] }');

describe('a page', () => {
  it('passes if each language prints the response after it', async () => {
    const { isGood, printed } = await runPage(bash, ts, python, go, 'It prints:', whole);
    expect(printed).toContain('4 things shown');
    expect(isGood).toBe(true);
  });

  it.each([
    ['a value', '{ "id": "card-…", "data": { "number": "XXXX4243" }, "list": [1, 2] }', 'response.data.number is'],
    ['a type', '{ "id": "card-…", "data": { "number": "XXXX4242" }, "list": ["1", 2] }', 'response.list[0] is 1'],
    ['an item', '{ "id": "card-…", "data": { "number": "XXXX4242" }, "list": [1, 2, 3] }', 'has 2 items instead of 3'],
    ['a member', '{ "id": "card-…", "data": {}, "list": [1, 2] }', 'response.data also has the member "number"'],
    ['a member that is missing', '{ "id": "…", "name": "…", "…": "…" }', 'does not have the member "name"'],
  ])('fails if %s of the response differs', async (_, response, difference) => {
    const { isGood, printed } = await runPage(bash, shown(response));
    expect(isGood).toBe(false);
    expect(printed).toContain(difference);
  });

  it.each([
    ['ts', `console.log({ id: 'another' });`],
    ['python', 'print({"id": "another"})'],
    ['go', 'fmt.Println(`{"id": "another"}`)'],
  ])('fails if one language, %s, prints another response', async (language, line) => {
    const others = [bash, ts, python, go].filter((other) => !other.startsWith(`\`\`\`${language}`));
    const { isGood, printed } = await runPage(...others, block(language, line), whole);
    expect(isGood).toBe(false);
    expect(printed).toContain('does not print what the page shows');
    expect(printed).toContain(line);
  });

  it('takes a value from the response before, and fails if it is not there', async () => {
    const check = `<!-- run\ntest "$CARD_ID" = card-1 && echo '✓ kept'\n-->`;
    const kept = await runPage(bash, block('bash', 'export CARD_ID=…   # .id of the response'), check);
    expect(kept).toMatchObject({ isGood: true, printed: expect.stringContaining('✓ kept') });
    const missing = await runPage(bash, block('bash', 'export CARD_ID=…   # .token of the response'), check);
    expect(missing.isGood).toBe(false);
  });

  it('fails if a block of a program fails, or is of a language that cannot be run', async () => {
    expect(await runPage(bash, whole, block('ts', `throw new Error('no');`))).toMatchObject({ isGood: false });
    expect(await runPage(bash, whole, block('ruby', 'puts 1'))).toMatchObject({
      isGood: false,
      printed: expect.stringContaining('begins a block that is not run'),
    });
  });
});
