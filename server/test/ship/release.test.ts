import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRelease } from './test-release.ts';

/* Checks the files that `npm run release` builds from the current commit. */
const run = promisify(execFile);
const isWhole = process.env['SHIP'] === 'all';

describe.runIf(isWhole)('a release', () => {
  let release: TestRelease;

  beforeAll(async () => {
    release = await TestRelease.prepare();
  });
  afterAll(() => release[Symbol.asyncDispose]());

  it('has the same bytes each time it is made from the same commit', { timeout: 1_800_000 }, async () => {
    const { version, hasImage } = release;
    const [first, second] = [await release.build('first'), await release.build('second')];
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
        `strongroom-deploy-${version}.tgz`,
        `strongroom-elements-${version}.tgz`,
        ...(hasImage ? [`strongroom-${version}-image.tar`] : []),
      ].sort(),
    );
    await run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: first });
  });

  it('states the commit and the hash of each file in its provenance', async () => {
    const first = path.join(release.folder, 'first');
    const text = await readFile(path.join(first, `strongroom-${release.version}-provenance.json`), 'utf8');
    const statement = JSON.parse(text) as { subject: { name: string; digest: { sha256: string } }[] };
    const { stdout: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: release.clone });
    expect(statement).toMatchObject({
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: commit.trim() } }] } },
    });
    const sums = await readFile(path.join(first, 'SHA256SUMS'), 'utf8');
    for (const { name, digest } of statement.subject) expect(sums).toContain(`${digest.sha256}  ${name}\n`);
  });

  it('is refused for the version of main', async () => {
    const tag = `v${release.version}-dev`;
    await expect(release.build('development', tag)).rejects.toThrow('is the version of main');
  });

  it('is refused where a file names another version than the tag', async () => {
    await run('git', ['tag', 'v9.9.9'], { cwd: release.clone });
    await expect(release.build('wrong', 'v9.9.9')).rejects.toThrow(/server\/package\.json: \d/);
  });

  it('is signed by the key that is given', async (context) => {
    if (!release.hasCosign) context.skip('cosign is not installed');
    const output = path.join(release.folder, 'first');
    const signature = path.join(output, 'SHA256SUMS.sig');
    const check = ['verify-blob', '--key', release.publicKey, '--insecure-ignore-tlog', '--signature', signature];
    await run('cosign', [...check, path.join(output, 'SHA256SUMS')]);
    const other = path.join(output, `strongroom-${release.version}-notes.md`);
    await expect(run('cosign', [...check, other])).rejects.toThrow();
  });
});
