import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/*
 * Checks the package as published to npm. `SHIP=all` (npm run test:ship) also installs it into an empty folder and
 * starts it as on a machine without PostgreSQL. The installed PostgreSQL is hidden from it, which needs root.
 */
const run = promisify(execFile);
const workspace = path.resolve(import.meta.dirname, '../..');
const isWhole = process.env['SHIP'] === 'all';
const servesWithinMs = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-package-'));
  // Root starts PostgreSQL as another user, who must be able to read the folder.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function pack(): Promise<{ readonly file: string; readonly names: string[] }> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: workspace,
    maxBuffer: 64 * 1024 * 1024,
  });
  const listing: unknown = JSON.parse(stdout);
  // npm 12 lists packages by name, older versions as an array.
  const [packed] = Object.values(listing as Record<string, { filename: string; files: { path: string }[] }>);
  if (packed === undefined) throw new Error('Nothing was packed.');
  return { file: path.join(folder, packed.filename), names: packed.files.map((file) => file.path) };
}

describe('the package', () => {
  it('has what it needs to run and to be understood, and nothing else', async () => {
    const { names } = await pack();
    expect(names).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'bin/strongroom.js',
        'dist/main.js',
        'assets/portal/index.html',
        'assets/elements/manifest.json',
        'migrations/0001_roles.sql',
      ]),
    );
    expect(names.filter((name) => /\.map$|\.tsx?$|(^|\/)(src|test|node_modules)\/|\.test\./.test(name))).toEqual([]);
    const known = /^(README\.md|LICENSE|package\.json|(assets|bin|dist|migrations)\/)/;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
  });
});

describe('npx with a Node.js that is too old', () => {
  it('names the command that works, with what npx was told to run', async () => {
    const cache = await mkdtemp(path.join(folder, 'npx-'));
    const installed = path.join(cache, 'node_modules/strongroom');
    await cp(path.join(workspace, 'bin'), path.join(installed, 'bin'), { recursive: true });
    await writeFile(path.join(installed, 'package.json'), '{ "type": "module" }');
    // npx writes this file.
    const told = { _npx: { packages: ['./strongroom-0.3.0.tgz'] } };
    await writeFile(path.join(cache, 'package.json'), JSON.stringify(told));
    await expect(startOld(path.join(installed, 'bin/strongroom.js'))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'npx --package=node@24 --package=./strongroom-0.3.0.tgz strongroom dev --port 0\n',
      ),
    });
  });

  it('names the published package otherwise', async () => {
    const installed = await mkdtemp(path.join(folder, 'installed-'));
    await cp(path.join(workspace, 'bin'), path.join(installed, 'bin'), { recursive: true });
    await writeFile(path.join(installed, 'package.json'), '{ "type": "module" }');
    await expect(startOld(path.join(installed, 'bin/strongroom.js'))).rejects.toMatchObject({
      stderr: expect.stringContaining('npx --package=node@24 --package=strongroom strongroom dev --port 0\n'),
    });
  });

  function startOld(program: string): Promise<unknown> {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
    const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
    return run(process.execPath, ['--import', preload, program, 'dev', '--port', '0']);
  }
});

describe.runIf(isWhole)('an empty folder on a machine without PostgreSQL', () => {
  it.each(['11', '12'])(
    'has a vault within a minute of the command, with npm %s',
    { timeout: 600_000 },
    async (major) => {
      const { file } = await pack();
      const home = await mkdtemp(path.join(folder, `npm-${major}-`));
      await chmod(home, 0o755);
      await writeFile(path.join(home, 'package.json'), '{ "private": true }');
      const npm = path.join(home, 'npm');
      await run('npm', ['install', '--prefix', npm, '--no-audit', '--no-fund', `npm@${major}`], { cwd: home });
      const ownNpm = path.join(npm, 'node_modules', 'npm', 'bin');
      const { stdout: version } = await run(process.execPath, [path.join(ownNpm, 'npm-cli.js'), '--version'], {
        cwd: home,
      });
      expect(version.split('.')[0]).toBe(major);
      await run(process.execPath, [path.join(ownNpm, 'npm-cli.js'), 'install', '--no-audit', '--no-fund', file], {
        cwd: home,
      });

      const started = performance.now();
      const banner = await startHidden(home, path.join(ownNpm, 'npx-cli.js'));
      const servedAfterMs = performance.now() - started;
      process.stdout.write(`npm ${version.trim()}: serving after ${(servedAfterMs / 1_000).toFixed(1)} s\n`);
      expect(banner).toMatchObject({ url: expect.stringMatching(/^http:\/\/localhost:\d+$/) });
      expect(servedAfterMs).toBeLessThan(servesWithinMs);
    },
  );
});

/** Starts the vault with an empty folder at /usr/lib/postgresql, stores a token, and stops it. */
async function startHidden(home: string, npx: string): Promise<unknown> {
  const command = `mount -t tmpfs none /usr/lib/postgresql && exec "$0" "$1" --no strongroom dev --port 0 --json`;
  const vault = spawn('unshare', ['--mount', 'bash', '-c', command, process.execPath, npx], {
    cwd: home,
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    for await (const line of createInterface({ input: vault.stdout })) {
      if (!line.startsWith('{')) continue;
      const banner = JSON.parse(line) as { url: string; keys: { private: string } };
      const response = await fetch(`${banner.url}/tokens`, {
        method: 'POST',
        headers: { 'bt-api-key': banner.keys.private, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'token', data: await readFile(path.join(home, 'package.json'), 'utf8') }),
      });
      expect(response.status).toBe(201);
      return banner;
    }
    throw new Error('The vault has stopped.');
  } finally {
    if (vault.pid !== undefined) process.kill(-vault.pid, 'SIGTERM');
  }
}
