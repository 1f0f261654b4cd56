import { execFile } from 'node:child_process';
import { appendFile, copyFile, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { unpackPreviousRelease } from '../harness/previous-release.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { PageShell } from './page-shell.ts';
import { TestRelease } from './test-release.ts';

/*
 * Runs every command of docs/deploy/release.md in a folder that has the files of a release and nothing else: checks,
 * installs, stores a card, upgrades from 0.2.0 under load and rolls back.
 */
const run = promisify(execFile);
const isWhole = process.env['SHIP'] === 'all';
const page = path.resolve(import.meta.dirname, '../../../docs/deploy/release.md');
const title = 'Install from a release';
const start = 'Start a vault and store a card';
const pagePorts = ['8000', '8404', '8080', '8081', '8090', '8091', '8082'];

describe.runIf(isWhole)('the folder of a release', () => {
  let release: TestRelease;
  let files: string;
  let prefix: string;
  let database: TestDatabase | undefined;
  let ports: ReadonlyMap<string, string>;

  beforeAll(async () => {
    release = await TestRelease.prepare();
    files = await release.build('files');
    await rm(release.clone, { recursive: true });
    if (release.hasCosign) await copyFile(release.publicKey, path.join(files, 'cosign.pub'));
    await packPreviousRelease(files);
    prefix = await mkdtemp(path.join(tmpdir(), 'strongroom-prefix-'));
    ports = new Map(await Promise.all(pagePorts.map(async (port) => [port, String(await findFreePort())] as const)));
  }, 1_800_000);
  afterAll(async () => {
    await release[Symbol.asyncDispose]();
    await rm(prefix, { recursive: true, force: true });
  });

  it('is checked by its signature and provenance, which do not fit a changed file', async (context) => {
    if (!release.hasCosign) context.skip('cosign is not installed');
    await using shell = await open(files);
    await shell.section(title);
    expect(await shell.section('Check the files')).toMatch(/Verified OK[\s\S]*v[\d.]+ at [0-9a-f]{40}/);

    const changed = path.join(release.folder, 'changed');
    await cp(files, changed, { recursive: true });
    await appendFile(path.join(changed, `strongroom-${release.version}.tgz`), 'x');
    await using other = await open(changed);
    await other.section(title);
    await expect(other.section('Check the files')).rejects.toThrow(`strongroom-${release.version}.tgz: FAILED`);
  });

  it('installs a vault that serves and stores a card', { timeout: 900_000 }, async () => {
    database = await createTestDatabase('template1');
    try {
      await using shell = await open(files);
      await shell.section(title);
      expect(await shell.section('Install')).toContain(release.version);
      expect(await shell.section(start)).toMatch(/stored the card that ends in 4242 as [0-9a-f-]{36}/);
    } finally {
      await database.drop();
    }
  });

  it('upgrades from 0.2.0 and rolls back without a failed request', { timeout: 1_800_000 }, async () => {
    database = await createTestDatabase('template1');
    try {
      await using shell = await open(files);
      await shell.section(title);
      await shell.run('version=0.2.0');
      await shell.section('Install');
      await shell.section(start);
      const url = `http://127.0.0.1:${ports.get('8000')}`;
      const load = new ClientLoad({ url, key: await makeKey(url, path.join(files, 'tenant.json')) });
      await shell.run(`version=${release.version}`);
      await shell.section('Install');
      const failed = [...(await shell.section('Upgrade')).matchAll(/^FAIL (\w+):/gm)].map(([, name]) => name);
      // PostgreSQL does not wait for its disk in tests.
      expect(failed).toEqual(['fsync', 'synchronous_commit']);
      for (const name of ['server-a', 'server-b', 'worker']) expect(await programOf(name)).toContain(release.version);
      await shell.run('version=0.2.0');
      await shell.section('Roll back');
      for (const name of ['server-a', 'server-b', 'worker']) expect(await programOf(name)).toContain('/0.2.0/');
      const { succeeded, slow } = await load.stop();
      process.stdout.write(`${succeeded} requests, ${slow} slow, ${load.failures.length} failed\n`);
      expect(load.failures).toEqual([]);
      expect(succeeded).toBeGreaterThan(100);
    } finally {
      await database.drop();
    }
  });

  function open(folder: string): Promise<PageShell> {
    const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS } = process.env;
    const environment = {
      PATH: `${path.dirname(process.execPath)}:${PATH}`,
      HOME,
      // npm may reach its registry through a proxy whose authority only this machine knows.
      ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
      // The servers must not limit the load.
      STRONGROOM_RATE_LIMITS: 'off',
    };
    return PageShell.start(page, { folder, environment, adapt });
  }

  /** Replaces what depends on the machine, and nothing else. */
  function adapt(block: string): string {
    return block
      .replace(/^version=.*$/m, `version=${release.version}`)
      .replace(/^prefix=.*$/m, `prefix='${prefix}'`)
      .replace(/^export STRONGROOM_DATABASE_URL=.*$/m, `export STRONGROOM_DATABASE_URL='${database?.url ?? ''}'`)
      .replace(/\b8\d{3}\b/g, (port) => ports.get(port) ?? port);
  }

  async function programOf(name: string): Promise<string> {
    const id = (await readFile(path.join(files, `${name}.pid`), 'utf8')).trim();
    return (await readFile(`/proc/${id}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  }
});

/** Packs 0.2.0 from its commit into the folder. It was never published. */
async function packPreviousRelease(output: string): Promise<void> {
  const source = await mkdtemp(path.join(tmpdir(), 'strongroom-previous-'));
  try {
    await unpackPreviousRelease(source, '0.2.0');
    await run('npm', ['run', 'build'], { cwd: source, maxBuffer: 64 * 1024 * 1024 });
    await run('npm', ['pack', '--pack-destination', output], { cwd: path.join(source, 'server') });
  } finally {
    await rm(source, { recursive: true, force: true });
  }
}

async function makeKey(url: string, tenantFile: string): Promise<string> {
  const { keys } = JSON.parse(await readFile(tenantFile, 'utf8')) as { keys: { management: string } };
  const permissions = ['token:create', 'token:read'];
  const rule = { description: 'Stores and reads', priority: 1, container: '/', transform: 'reveal', permissions };
  const response = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': keys.management, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Load', type: 'private', rules: [rule] }),
  });
  return ((await response.json()) as { key: string }).key;
}
