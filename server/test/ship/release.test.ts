import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/*
 * Checks the files that `npm run release` builds from the current commit. It includes an image if RELEASE_BASES names
 * two base images, separated by a comma. It includes a signature if cosign is installed. The output states what is
 * included.
 */
const run = promisify(execFile);
const isWhole = process.env['SHIP'] === 'all';
const bases = (process.env['RELEASE_BASES'] ?? '').split(',').filter((name) => name !== '');
const repository = path.resolve(import.meta.dirname, '../../..');

describe.runIf(isWhole)('a release', () => {
  let folder: string;
  let clone: string;
  let version: string;
  let hasImage: boolean;
  let hasCosign: boolean;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-release-test-'));
    clone = path.join(folder, 'clone');
    await run('git', ['clone', '--quiet', repository, clone]);
    const { version: current } = JSON.parse(await readFile(path.join(clone, 'server/package.json'), 'utf8')) as {
      version: string;
    };
    await run('git', ['tag', `v${current}`], { cwd: clone });
    version = current.replace(/-dev$/, '');
    await run(process.execPath, ['scripts/release/set-version.mjs', version], { cwd: clone });
    const changelog = path.join(clone, 'CHANGELOG.md');
    await writeFile(
      changelog,
      (await readFile(changelog, 'utf8')).replace('## Unreleased', `## ${version} - 2026-01-01`),
    );
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    await run('git', [...author, 'commit', '--quiet', '--all', '--message', `release ${version}`], { cwd: clone });
    await run('git', ['tag', `v${version}`], { cwd: clone });
    hasImage = bases.length === 2;
    hasCosign = await isInstalled('cosign');
    process.stdout.write(`image: ${hasImage ? 'yes' : 'left out'}, signature: ${hasCosign ? 'yes' : 'left out'}\n`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has the same bytes each time it is made from the same commit', { timeout: 1_800_000 }, async () => {
    const [first, second] = [await release('first'), await release('second')];
    const sums = await readFile(path.join(first, 'SHA256SUMS'), 'utf8');
    expect(await readFile(path.join(second, 'SHA256SUMS'), 'utf8')).toBe(sums);
    process.stdout.write(sums);
    expect((await readdir(first)).filter((name) => !name.endsWith('.sig'))).toEqual(
      [
        'SHA256SUMS',
        `strongroom-${version}-notes.md`,
        `strongroom-${version}-provenance.json`,
        `strongroom-${version}-sbom.cdx.json`,
        `strongroom-${version}-sbom.spdx.json`,
        `strongroom-${version}.tgz`,
        `strongroom-chart-${version}.tgz`,
        `strongroom-elements-${version}.tgz`,
        ...(hasImage ? [`strongroom-${version}-image.tar`] : []),
      ].sort(),
    );
    await run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: first });
  });

  it('states the commit and the hash of each file in its provenance', async () => {
    const first = path.join(folder, 'first');
    const text = await readFile(path.join(first, `strongroom-${version}-provenance.json`), 'utf8');
    const statement = JSON.parse(text) as { subject: { name: string; digest: { sha256: string } }[] };
    const { stdout: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: clone });
    expect(statement).toMatchObject({
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: commit.trim() } }] } },
    });
    const sums = await readFile(path.join(first, 'SHA256SUMS'), 'utf8');
    for (const { name, digest } of statement.subject) expect(sums).toContain(`${digest.sha256}  ${name}\n`);
  });

  it('is refused for the version of main', async () => {
    await expect(make(`v${version}-dev`, path.join(folder, 'development'))).rejects.toThrow('is the version of main');
  });

  it('is refused where a file names another version than the tag', async () => {
    await run('git', ['tag', 'v9.9.9'], { cwd: clone });
    await expect(make('v9.9.9', path.join(folder, 'wrong'))).rejects.toThrow(/server\/package\.json: \d/);
  });

  it('is signed by the key that is given', { timeout: 1_800_000 }, async (context) => {
    if (!hasCosign) context.skip('cosign is not installed');
    const output = path.join(folder, 'first');
    const names = { key: path.join(folder, 'cosign.pub'), signature: path.join(output, 'SHA256SUMS.sig') };
    const check = ['verify-blob', '--key', names.key, '--insecure-ignore-tlog', '--signature', names.signature];
    await run('cosign', [...check, path.join(output, 'SHA256SUMS')]);
    await expect(run('cosign', [...check, path.join(output, `strongroom-${version}-notes.md`)])).rejects.toThrow();
  });

  async function release(name: string): Promise<string> {
    const output = path.join(folder, name);
    await mkdir(output);
    if (hasCosign && name === 'first')
      await run('cosign', ['generate-key-pair'], { cwd: folder, env: cosignEnvironment() });
    await make(`v${version}`, output);
    return output;
  }

  async function make(tag: string, output: string): Promise<void> {
    const parts = ['scripts/release/main.mjs', tag, '--output', output];
    const [build = '', runtime = ''] = bases;
    parts.push(...(hasImage ? ['--build-image', build, '--runtime-image', runtime] : ['--no-image']));
    if (hasCosign) parts.push('--cosign-key', path.join(folder, 'cosign.key'));
    await run(process.execPath, parts, { cwd: clone, env: cosignEnvironment(), maxBuffer: 64 * 1024 * 1024 });
  }
});

function cosignEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, COSIGN_PASSWORD: 'only for this test' };
}

async function isInstalled(program: string): Promise<boolean> {
  return run('which', [program]).then(
    () => true,
    () => false,
  );
}
