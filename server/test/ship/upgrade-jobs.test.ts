import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { BalancedServers, balancedSettings } from '../harness/balanced-servers.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { untilTrue } from '../harness/deadline.ts';
import { MailServer } from '../harness/mail-server.ts';
import { unpackPreviousRelease } from '../harness/previous-release.ts';
import { Program } from '../harness/program.ts';
import { listQueued } from '../harness/queued-jobs.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/*
 * Upgrades from 0.2.0, whose jobs wait in a table of our own, while both versions run, requests arrive and jobs are
 * enqueued. Mail shows whether a job was lost or done twice: a recipient would notice either.
 */
const isWhole = process.env['SHIP'] === 'all';
const thisMain = path.resolve(import.meta.dirname, '../../src/main.ts');

let folder: string;
let previousMain: string;
let database: TestDatabase;
let mail: MailServer;
let settings: Record<string, string>;

describe.runIf(isWhole)('an upgrade from 0.2.0', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-upgrade-'));
    previousMain = await unpackPreviousRelease(folder, '0.2.0');
    database = await createTestDatabase('template1');
    mail = await MailServer.start();
    settings = balancedSettings({ url: database.url, rootKey: generateRootKey() });
  });
  afterAll(async () => {
    await Program.killAll();
    await mail.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('loses no job that waits, runs or is enqueued meanwhile, and does none twice', { timeout: 600_000 }, async () => {
    await succeed(['migrate'], previousMain);
    const made = await succeed(['bootstrap', '--name', 'Acme', '--json'], previousMain);
    const { management } = (JSON.parse(made) as { keys: { management: string } }).keys;
    const servers = await BalancedServers.start(settings, previousMain);
    const { haproxy, backends } = servers;
    const invited: string[] = [];
    const invite = async (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const email = `${crypto.randomUUID()}@example.com`;
        const response = await fetch(`${haproxy.url}/tenants/self/invitations`, {
          method: 'POST',
          headers: { 'bt-api-key': management, 'content-type': 'application/json' },
          body: JSON.stringify({ email }),
        });
        expect(response.status).toBe(201);
        invited.push(email);
      }
    };
    try {
      const load = new ClientLoad({ url: haproxy.url, key: await servers.makeKey(management) });
      // Without a mail server, the old worker leaves mail in the queue.
      const oldWorker = await startWorker(previousMain, {});
      await invite(30);
      expect((await database.owner.query(`select from jobs where task = 'mail-invitation'`)).rowCount).toBe(30);
      // The migration commits between two of these.
      const inviting = invite(60);
      await succeed(['migrate'], thisMain);
      await inviting;
      // From here on, servers of both versions enqueue, and a worker of each takes jobs.
      const newWorker = await startWorker(thisMain, mailSettings());
      expect((await servers.restart(backends[0], thisMain)).code).toBe(0);
      await invite(20);
      expect((await oldWorker.stop()).code).toBe(0);
      expect((await servers.restart(backends[1], thisMain)).code).toBe(0);
      await invite(10);
      await untilTrue(async () => mail.mails.length >= invited.length, { waitingFor: 'a mail to everybody' });
      await untilTrue(async () => (await listQueued(database.owner, 'mail-invitation')).length === 0, {
        waitingFor: 'an empty queue',
      });
      const { succeeded } = await load.stop();
      process.stdout.write(
        `upgrade from 0.2.0: ${invited.length} jobs, ${mail.mails.length} mails, ${succeeded} requests, ${load.failures.length} failed\n`,
      );
      expect(load.failures).toEqual([]);
      expect(mail.mails.flatMap(({ to }) => to).toSorted()).toEqual(invited.toSorted());
      expect((await database.owner.query(`select from jobs where task = 'mail-invitation'`)).rowCount).toBe(0);
      expect((await newWorker.stop()).code).toBe(0);
    } finally {
      await haproxy.stop();
    }
  });
});

const mailSettings = () => ({
  STRONGROOM_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  STRONGROOM_MAIL_FROM: 'vault@strongroom.example',
});

async function succeed(command: readonly string[], main: string): Promise<string> {
  const { code, stdout, stderr } = await Program.run(command, settings, main);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

async function startWorker(main: string, more: Readonly<Record<string, string>>): Promise<Program> {
  const port = String(await findFreePort());
  const program = Program.start(['work', '--json'], { ...settings, STRONGROOM_WORKER_ADMIN_PORT: port, ...more }, main);
  await program.ready();
  return program;
}
