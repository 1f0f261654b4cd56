import { domainToASCII } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listQueued } from '../../../test/harness/queued-jobs.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { oddButPlain, refusedAddresses } from '../../../test/harness/hostile-addresses.ts';
import { linkIn, MailServer, type ReceivedMail, refusal, smtpConfigFor } from '../../../test/harness/mail-server.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { JobRunner, jobPace } from '../../platform/jobs/job-runner.ts';
import { findFreePort } from '../../platform/local-postgres/free-port.ts';
import { Mailer } from '../../platform/mail/mailer.ts';
import type { SmtpConfig } from '../../platform/mail/smtp-config.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { InvitationLinks, mailInvitationJob } from './index.ts';

let vault: TestVault;
let tenant: TestTenant;
let server: MailServer | undefined;
const warnings: string[] = [];
const logger: Logger = { info: () => undefined, warn: (text) => void warnings.push(text), error: () => undefined };

beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  warnings.length = 0;
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(() => vault.stop());

const newAddress = () => `${crypto.randomUUID()}@example.com`;
const ask = (method: string, path = '', body?: unknown) =>
  vault.request(method, `/tenants/self/invitations${path}`, {
    key: tenant.keys.management,
    ...(body === undefined ? {} : { body }),
  });
async function invite(email = newAddress()): Promise<{ id: string; email: string }> {
  return (await ask('POST', '', { email })).body as { id: string; email: string };
}
const patient = { stepMs: 60_000, wholeMs: 120_000 };
function jobFor(config: SmtpConfig, timeouts = patient): Job {
  const { database, systemKeys } = vault.server.core;
  const links = new InvitationLinks({ systemKeys, publicUrl: 'https://vault.example.com' });
  return mailInvitationJob({ database, links, mailer: new Mailer(config, timeouts), logger });
}
const payloadOf = (id: string, linkNumber = 1) => ({
  tenant_id: tenant.id,
  invitation_id: id,
  link_number: linkNumber,
});
async function hasSealedLink(id: string): Promise<boolean> {
  const { rows } = await vault.database.owner.query<{ found: boolean }>(
    'select link_sealed is not null as found from invitations where id = $1',
    [id],
  );
  return rows[0]?.found ?? false;
}

describe('the mail of an invitation', () => {
  it('brings the link as text and as HTML, says who, what and until when, and the vault forgets the link', async () => {
    server = await MailServer.start();
    const nasty = 'Acme <script>\r\nBcc: evil@evil.example\u2028';
    await vault.database.owner.query('update tenants set name = $2 where id = $1', [tenant.id, nasty]);
    const { id, email } = await invite();
    await jobFor(server.config).run(payloadOf(id));

    const [mail] = server.mails as [ReceivedMail];
    expect(server.mails).toHaveLength(1);
    expect(mail.from).toBe('vault@strongroom.example');
    expect(mail.to).toEqual([email]);
    expect(linkIn(mail)).toMatch(/^https:\/\/vault\.example\.com\/portal\/invitations\/[1-9A-HJ-NP-Za-km-z]{44}$/);
    const [head = '', body = ''] = splitHead(mail.raw);
    expect(head).toContain(`To: ${email}`);
    expect(head).toMatch(/^Subject: Invitation to Acme/m);
    expect(head).not.toMatch(/^Bcc:/im);
    expect(body).toContain('Content-Type: text/plain');
    expect(body).toContain('Content-Type: text/html');
    expect(body).toContain('Role: ADMIN');
    expect(body).toContain('Invited by: management');
    expect(body).not.toContain('<script>\r\n');
    expect(body).toContain('&lt;script&gt;');
    expect(await hasSealedLink(id)).toBe(false);

    // The queue may deliver a job twice.
    await jobFor(server.config).run(payloadOf(id));
    expect(server.mails).toHaveLength(1);
  });

  it.each([
    ['replaced', async (id: string) => void (await ask('POST', `/${id}/resend`))],
    ['deleted', async (id: string) => void (await ask('DELETE', `/${id}`))],
    [
      'expired',
      async (id: string) =>
        void (await vault.database.owner.query('update invitations set expires_at = now() where id = $1', [id])),
    ],
  ])('is never sent for a link that was %s before', async (_, change) => {
    server = await MailServer.start();
    const { id } = await invite();
    await change(id);
    await jobFor(server.config).run(payloadOf(id));
    expect(server.mails).toEqual([]);
  });

  it.each([
    ['replaced', (id: string) => ask('POST', `/${id}/resend`)],
    ['deleted', (id: string) => ask('DELETE', `/${id}`)],
  ])('is not sent for a link that is %s while a slow server keeps us waiting', async (_, change) => {
    const reached = Promise.withResolvers<void>();
    let goOn: () => void = () => undefined;
    server = await MailServer.start({
      onRcptTo: (_address, _session, done) => {
        goOn = done;
        reached.resolve();
      },
    });
    const { id } = await invite();
    const running = jobFor(server.config).run(payloadOf(id));
    await reached.promise;
    await change(id);
    goOn();
    await running;
    expect(server.mails).toEqual([]);
  });

  it.each([{}, null, { tenant_id: 'x' }, { invitation_id: 7 }])('refuses a job of %j', async (payload) => {
    await expect(jobFor(smtpConfigFor(1)).run(payload)).rejects.toThrow('A mail job must name its invitation.');
  });
});

describe('a mail server in trouble', () => {
  it('that is away fails the try, and gets the mail once it is back', async () => {
    const port = await findFreePort();
    const { id } = await invite();
    await expect(jobFor(smtpConfigFor(port)).run(payloadOf(id))).rejects.toThrow('ECONNREFUSED');
    expect(await hasSealedLink(id)).toBe(true);
    server = await MailServer.start({}, port);
    await jobFor(server.config).run(payloadOf(id));
    expect(server.mails).toHaveLength(1);
  });

  it('that says nothing is given up in time', async () => {
    server = await MailServer.start({ onConnect: () => undefined });
    const { id } = await invite();
    const run = jobFor(server.config, { stepMs: 1_000, wholeMs: 5_000 }).run(payloadOf(id));
    await expect(run).rejects.toThrow(/timeout|greeting never received|too long/i);
  });

  it('that greylists is tried again, and nobody is told twice', async () => {
    let tries = 0;
    server = await MailServer.start({
      onRcptTo: (_address, _session, done) => {
        tries += 1;
        done(tries === 1 ? refusal(451, 'Greylisted, try again later') : undefined);
      },
    });
    const { id } = await invite();
    const job = jobFor(server.config);
    await expect(job.run(payloadOf(id))).rejects.toThrow(/all recipients were rejected/);
    await job.run(payloadOf(id));
    expect([tries, server.mails.length]).toEqual([2, 1]);
  });

  it('that refuses the mailbox for good is not asked again, and the link stays for an operator', async () => {
    server = await MailServer.start({
      onRcptTo: (_address, _session, done) => done(refusal(550, 'No such mailbox')),
    });
    const { id } = await invite();
    await jobFor(server.config).run(payloadOf(id));
    expect(warnings).toEqual(['mail refused']);
    expect(await hasSealedLink(id)).toBe(true);
  });

  it('that refuses the sender is tried again: an operator can put that right', async () => {
    server = await MailServer.start({
      onMailFrom: (_address, _session, done) => done(refusal(553, 'Not from here')),
    });
    const { id } = await invite();
    await expect(jobFor(server.config).run(payloadOf(id))).rejects.toThrow('553 Not from here');
  });

  it.each(['starttls', 'from-start'] as const)(
    'with a certificate that nobody vouches for gets nothing (%s)',
    async (encryption) => {
      server = await MailServer.start({ disabledCommands: [], secure: encryption === 'from-start' });
      const { id } = await invite();
      const config = { ...server.config, server: { ...server.config.server, encryption } };
      await expect(jobFor(config).run(payloadOf(id))).rejects.toThrow(/self-signed|certificate/);
      expect(server.mails).toEqual([]);
    },
  );

  it('that does not speak TLS gets nothing where TLS is asked for', async () => {
    server = await MailServer.start();
    const { id } = await invite();
    const config = { ...server.config, server: { ...server.config.server, encryption: 'starttls' as const } };
    await expect(jobFor(config).run(payloadOf(id))).rejects.toThrow('Error upgrading connection with STARTTLS');
    expect(server.mails).toEqual([]);
  });
});

describe('the queue', () => {
  it('tries again while the server is away, and then sends the newest link only', async () => {
    const port = await findFreePort();
    // Mails that earlier tests left in the queue would be sent too.
    await vault.database.owner.query('delete from pgboss.job');
    const { id } = await invite();
    const runner = await JobRunner.start({
      database: vault.database.open(),
      address: { url: vault.database.url },
      jobs: [jobFor(smtpConfigFor(port))],
      logger,
      metrics: new Metrics(),
      pace: { ...jobPace, pollSeconds: 0.5 },
    });
    try {
      await untilTrue(async () => (await attemptsOf(id)) >= 2, { waitingFor: 'a second try' });
      await ask('POST', `/${id}/resend`);
      server = await MailServer.start({}, port);
      const { mails } = server;
      await untilTrue(async () => (await attemptsOf(id)) === -1, {
        waitingFor: 'the job to be done',
      });
      expect([mails.length, await hasSealedLink(id)]).toEqual([1, false]);
    } finally {
      await runner.stop();
    }
  });
});

describe('hostile addresses', () => {
  it('has a corpus of more than 60', () => {
    expect(new Set([...oddButPlain, ...refusedAddresses]).size).toBeGreaterThan(60);
  });

  it.each(oddButPlain)('%j gets exactly one mail, and nobody else does', async (address) => {
    const local = await MailServer.start();
    server = local;
    const { id } = await invite(address);
    await jobFor(local.config).run(payloadOf(id));
    expect(local.mails).toHaveLength(1);
    const [mail] = local.mails as [ReceivedMail];
    expect(mail.to.map(canonical)).toEqual([canonical(address)]);
    const [head = ''] = splitHead(mail.raw);
    const recipients = head.replaceAll(/\r\n(?=[ \t])/g, '').match(/^(To|Cc|Bcc): .*$/gim);
    expect(recipients?.map(canonical)).toEqual([canonical(`To: ${address}`)]);
  });

  it('are refused by the API otherwise, and nothing is queued', async () => {
    for (const email of refusedAddresses) {
      const answer = await ask('POST', '', { email });
      expect([email, answer.status]).toEqual([email, 400]);
    }
    const { rows } = await vault.database.owner.query('select from invitations where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });
});

/** Converts the host to lower-case ASCII. The case of a host is irrelevant, but the case of a mailbox may matter. */
function canonical(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

function splitHead(raw: string): string[] {
  const at = raw.indexOf('\r\n\r\n');
  return [raw.slice(0, at), raw.slice(at).replaceAll(/=\r\n/g, '').replaceAll('=3D', '=')];
}

/** Returns the number of delivery attempts, or -1 if the mail has left the queue. */
async function attemptsOf(id: string): Promise<number> {
  const jobs = await listQueued(vault.database.owner, 'mail-invitation');
  return jobs.find(({ key }) => key === `mail-invitation:${id}`)?.attempts ?? -1;
}
