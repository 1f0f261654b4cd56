import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from './documentation.ts';

// `npm run new` writes skeletons, and docs/contributing/adding-things.md lists the remaining steps.

const run = promisify(execFile);
const program = path.join(repository, 'scripts/new/main.mjs');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'strongroom-new-'));
  await mkdir(path.join(root, 'server/migrations'), { recursive: true });
  await writeFile(path.join(root, 'server/migrations/0041_approvals.sql'), '');
});
afterEach(() => rm(root, { recursive: true }));

const runNewWith = async (env: NodeJS.ProcessEnv, ...parameters: string[]) =>
  (await run(process.execPath, [program, ...parameters], { cwd: root, env: { ...process.env, ...env } })).stdout;
const runNew = (...parameters: string[]) => runNewWith({}, ...parameters);
const refusal = (...parameters: string[]) =>
  runNew(...parameters).then(
    () => undefined,
    ({ stderr }: { stderr: string }) => stderr.trim(),
  );

async function listFiles(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** Runs the generator and returns the text of each file that it wrote. */
async function write(kind: string, name: string): Promise<ReadonlyMap<string, string>> {
  const before = new Set(await listFiles());
  await runNew(kind, name);
  const written = (await listFiles()).filter((file) => !before.has(file));
  const texts = written.map(async (file) => [file, await readFile(path.join(root, file), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

/** Lists the names that a file imports from files of the repository that do not export them. */
async function findMissingImports(file: string, text: string, own: ReadonlyMap<string, string>): Promise<string[]> {
  const missing: string[] = [];
  for (const [, names = '', from = ''] of text.matchAll(/^import (?:type )?\{([^}]+)\} from '(\.[^']+)';$/gm)) {
    const target = path.join(path.dirname(file), from);
    const source = own.get(target) ?? (await readSource(target));
    const wanted = names.split(',').map((name) => name.trim().replace(/^type /, ''));
    const isExported = (name: string) => new RegExp(`^export .*\\b${name}\\b`, 'm').test(source);
    missing.push(...wanted.filter((name) => name !== '' && !isExported(name)).map((name) => `${name} of ${target}`));
  }
  return missing;
}

async function readSource(file: string): Promise<string> {
  // The portal's imports have no file extensions.
  const files = path.extname(file) === '' ? [`${file}.tsx`, `${file}.ts`] : [file];
  const texts = files.map((name) => readFile(path.join(repository, name), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('');
}

describe.each([
  ['endpoint', 'tax-entry', 6, 'server/src/features/tax-entries/tax-entry-routes.ts'],
  ['page', 'tax-entries', 2, 'portal/src/pages/tax-entries/tax-entries-page.tsx'],
  ['token-type', 'tax-number', 2, 'server/src/core/token-types/tax-number-token-type.ts'],
])('a new %s', (kind, name, count, main) => {
  it('has files whose imports exist, and a test that fails until it is filled in', async () => {
    const files = await write(kind, name);
    expect(files.size).toBe(count);
    expect(files.get(main)).toMatch(/^export /m);
    const tests = [...files].filter(([file]) => file.endsWith('.test.ts'));
    expect(tests.map(([, text]) => text.includes("expect.fail('Describe "))).toEqual([true]);
    for (const [file, text] of files) {
      expect(`${file}${text}`).not.toMatch(/@\w+@/);
      expect(await findMissingImports(file, text, files)).toEqual([]);
    }
  });

  it('is only listed in a dry run, with the steps of the documentation', async () => {
    const before = await listFiles();
    const output = await runNew(kind, name, '--dry-run');
    expect(output).toContain(main);
    expect(output).toMatch(/^1\. .*\n(?:.*\n)*?2\. /m);
    expect(output).not.toMatch(/<\w+>/);
    expect(await listFiles()).toEqual(before);
  });

  it('is not written either if npm takes the option for itself', async () => {
    const before = await listFiles();
    expect(await runNewWith({ npm_config_dry_run: 'true' }, kind, name)).toMatch(/^Would write:/);
    expect(await listFiles()).toEqual(before);
  });

  it('comes with the command that runs its test', async () => {
    const output = await runNew(kind, name);
    const [, file = ''] = output.match(/cd server && npx vitest run (\S+)/) ?? [];
    expect(await listFiles()).toContain(`server/${file}`);
  });

  it('is refused if it exists', async () => {
    const files = await write(kind, name);
    expect(await refusal(kind, name)).toMatch(/^There is already .+\. Choose another name\.$/);
    expect(await readFile(path.join(root, main), 'utf8')).toBe(files.get(main));
  });
});

describe('the name of something new', () => {
  it('is in kebab-case and short', async () => {
    const before = await listFiles();
    const bad = ['Tax', 'tax_number', 'tax--number', '-tax', '7tax', '../tax', 'tax number', '', 'x'.repeat(41)];
    const refusals = await Promise.all(bad.map((name) => refusal('page', '--', name)));
    for (const message of refusals) expect(message).toMatch(/kebab-case|at most 40/);
    expect(await listFiles()).toEqual(before);
  });

  it.each(['tax_number', 'Tax number', 'taxNumber', '-tax--number'])('is suggested in place of %s', async (name) => {
    expect(await refusal('page', '--', name)).toContain('for example "tax-number"');
  });

  it.each([
    ['endpoint', 'orders', 'Use the singular'],
    ['endpoint', 'order-routes', 'Leave out the ending: "order" is enough.'],
    ['page', 'orders-page', 'Leave out the ending: "orders" is enough.'],
    ['token-type', 'iban-token', 'Leave out the ending: "iban" is enough.'],
    ['token-type', 'iban-token-type', 'Leave out the ending: "iban" is enough.'],
    ['constructor', 'order', 'There is no kind "constructor": use endpoint, page, token-type.'],
    ['page', '--dryrun', 'There is no option "dryrun".'],
    ['page', '--dry-run', 'The name of the page is missing.'],
  ])('%s %s is refused', async (kind, name, message) => {
    expect(await refusal(kind, name)).toContain(message);
  });

  it('is one name', async () => {
    expect(await refusal('page', 'tax', 'numbers')).toBe('Use one name, with dashes between words: "tax-numbers".');
  });

  it.each([
    ['endpoint', 'invitation'],
    ['endpoint', 'catalog'],
    ['page', 'members'],
    ['page', 'account'],
    ['token-type', 'card'],
    ['token-type', 'token'],
  ])('%s %s is taken in this repository', async (kind, name) => {
    const inRepository = run(process.execPath, [program, kind, name, '--dry-run'], { cwd: repository });
    await expect(inRepository).rejects.toThrow('There is already ');
  });
});

describe('the page about adding things', () => {
  it('names only files that exist', async () => {
    const page = await readFile(path.join(repository, 'docs/contributing/adding-things.md'), 'utf8');
    const named = [...page.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(50);
    const texts = named.map(async (file) => [
      file,
      `${await readSource(file)}${await readSource(`server/src/${file}`)}`,
    ]);
    expect((await Promise.all(texts)).filter(([, text]) => text === '').map(([file]) => file)).toEqual([]);
  });
});
