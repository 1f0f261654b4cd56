import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listQueued, queueNow } from '../../../test/harness/queued-jobs.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { linkIn, MailServer } from '../../../test/harness/mail-server.ts';
import { removeAtOnce } from '../../../test/harness/tenant-people.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { VaultWorker } from './vault-worker.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let vault: TestVault;
let tenant: TestTenant;
let mailServer: MailServer;
let workers: VaultWorker[] = [];
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  mailServer = await MailServer.start();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await mailServer.stop();
});
afterAll(() => vault.stop());

async function startWorker(mailsBy: MailServer | undefined): Promise<void> {
  const config = {
    ...vault.config,
    audit: {
      retentionMonths: 13,
      anchorFile: undefined,
      anchorUrl: undefined,
      backupDays: undefined,
      archive: undefined,
      evidenceMonths: undefined,
      alerts: defaultThresholds,
    },
    logStreams: [],
    admin: { host: '127.0.0.1', port: 0 },
    mail: { publicUrl: 'https://vault.example.com', smtp: mailsBy?.config },
    traces: undefined,
    outbound: vault.outbound,
  };
  workers.push(await VaultWorker.start(config, silent));
}

const manage = (method: string, path: string, body?: unknown) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
async function invite(): Promise<{ id: string; email: string }> {
  const answer = await manage('POST', '/tenants/self/invitations', { email: `${crypto.randomUUID()}@example.com` });
  return answer.body as { id: string; email: string };
}
async function countQueued(): Promise<number> {
  return (await listQueued(vault.database.owner, 'mail-invitation')).length;
}
const untilMailed = (count: number) =>
  untilTrue(async () => mailServer.mails.length >= count && (await countQueued()) === 0, {
    waitingFor: `${count} mails`,
  });

describe('the mail of an invitation', () => {
  it('always leaves while one of several workers has a mail server', async () => {
    await startWorker(undefined);
    await startWorker(undefined);
    await startWorker(mailServer);
    const invited: string[] = [];
    for (let count = 0; count < 10; count += 1) invited.push((await invite()).email);
    await untilMailed(10);
    expect(mailServer.mails.flatMap(({ to }) => to).toSorted()).toEqual(invited.toSorted());
  });

  it('waits while no worker has a mail server, and leaves as soon as one has', async () => {
    await startWorker(undefined);
    const { email } = await invite();
    // Another job that was due later has run, so the mail was skipped and is not merely delayed.
    const { owner } = vault.database;
    await queueNow(owner, 'sweep-invitations');
    const isDone = async () => (await listQueued(owner, 'sweep-invitations')).length === 0;
    await untilTrue(isDone, { waitingFor: 'another job' });
    expect(await countQueued()).toBe(1);

    await startWorker(mailServer);
    await untilMailed(1);
    expect(mailServer.mails.map(({ to }) => to)).toEqual([[email]]);
    expect(mailServer.mails.map(linkIn)).toEqual([expect.stringMatching(/^https:\/\/vault\.example\.com\/portal\//)]);
  });

  it.each([
    ['deleted', (id: string) => manage('DELETE', `/tenants/self/invitations/${id}`)],
    ['gone with its tenant', () => removeAtOnce(vault, tenant)],
    [
      'swept after it expired',
      (id: string) =>
        vault.database.owner.query(
          `update invitations set expires_at = now() - interval '1 second', link_sealed = null where id = $1`,
          [id],
        ),
    ],
  ])('leaves the queue when its invitation is %s', async (_, end) => {
    const { id } = await invite();
    expect(await countQueued()).toBe(1);
    await end(id);
    expect(await countQueued()).toBe(0);
  });

  it('is not sent late for a link that has expired', async () => {
    const { id } = await invite();
    await vault.database.owner.query('update invitations set expires_at = now() where id = $1', [id]);
    await startWorker(mailServer);
    await untilMailed(0);
    expect(mailServer.mails).toEqual([]);
  });

  it('is replaced, not doubled, by a second sending', async () => {
    const { id, email } = await invite();
    await manage('POST', `/tenants/self/invitations/${id}/resend`);
    expect(await countQueued()).toBe(1);
    await startWorker(mailServer);
    await untilMailed(1);
    expect(mailServer.mails.map(({ to }) => to)).toEqual([[email]]);
  });
});
