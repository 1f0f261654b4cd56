import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { BalancedServers, balancedSettings } from '../harness/balanced-servers.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { unpackPreviousRelease } from '../harness/previous-release.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/*
 * Runs the upgrade of docs/upgrading.md from 0.1.0 to this version under load: migrate, then replace servers and worker
 * one at a time. Then rolls back, because an operator may have to. No request fails, and every token can be decrypted.
 */
const isWhole = process.env['SHIP'] === 'all';
const thisMain = path.resolve(import.meta.dirname, '../../src/main.ts');

let folder: string;
let previousMain: string;
let database: TestDatabase;
let settings: Record<string, string>;

describe.runIf(isWhole)('an upgrade from 0.1.0', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-upgrade-'));
    previousMain = await unpackPreviousRelease(folder);
    database = await createTestDatabase('template1');
    settings = balancedSettings({ url: database.url, rootKey: generateRootKey() });
  });
  afterAll(async () => {
    await Program.killAll();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('and back fails no request', { timeout: 600_000 }, async () => {
    await succeed(['migrate'], previousMain);
    const made = await succeed(['bootstrap', '--name', 'Acme', '--json'], previousMain);
    const { management } = (JSON.parse(made) as { keys: { management: string } }).keys;
    const servers = await BalancedServers.start(settings, previousMain);
    const { haproxy, backends } = servers;
    const workerPort = String(await findFreePort());
    let worker = await startWorker(workerPort, previousMain);
    try {
      const key = await servers.makeKey(management);
      const load = new ClientLoad({ url: haproxy.url, key });
      await succeed(['migrate'], thisMain);
      for (const main of [thisMain, previousMain, thisMain]) {
        for (const backend of backends) expect((await servers.restart(backend, main)).code).toBe(0);
        expect((await worker.stop()).code).toBe(0);
        worker = await startWorker(workerPort, main);
      }
      const { succeeded, slow } = await load.stop();
      process.stdout.write(
        `upgrade, back and again: ${succeeded} requests, ${slow} slow, ${load.failures.length} failed\n`,
      );
      expect(load.failures).toEqual([]);
      expect(succeeded).toBeGreaterThan(100);
      expect(await countOpened(haproxy.url, key)).toBeGreaterThan(50);
    } finally {
      await haproxy.stop();
    }
    expect((await worker.stop()).code).toBe(0);
    expect(await succeed(['audit', 'verify'], thisMain)).toBeTruthy();
  });
});

async function succeed(command: readonly string[], main: string): Promise<string> {
  const { code, stdout, stderr } = await Program.run(command, settings, main);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

async function startWorker(adminPort: string, main: string): Promise<Program> {
  const program = Program.start(['work', '--json'], { ...settings, STRONGROOM_WORKER_ADMIN_PORT: adminPort }, main);
  await program.ready();
  return program;
}

/** Reads every token that the load has not deleted, whichever version wrote it. */
async function countOpened(url: string, key: string): Promise<number> {
  let opened = 0;
  for (let page = 1; ; page += 1) {
    const response = await fetch(`${url}/tokens?size=100&page=${page}`, { headers: { 'bt-api-key': key } });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { data: string }[] };
    expect(data.filter(({ data: value }) => value !== 'kept' && value !== 'slow')).toEqual([]);
    if (data.length === 0) return opened;
    opened += data.length;
  }
}
