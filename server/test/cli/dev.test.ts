import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { untilTrue } from '../harness/deadline.ts';
import { linkIn, MailServer, type ReceivedMail } from '../harness/mail-server.ts';
import { listProcessesAt, Program } from '../harness/program.ts';

interface Ready {
  readonly url: string;
  readonly admin_url: string;
  readonly elements_url: string;
  readonly sign_in_url: string;
  readonly echo_url: string;
  readonly tenant_id: string;
  readonly keys: DevelopmentKeys;
  readonly settings: Readonly<Record<string, string>>;
}

/** The directory in which the program creates its files, so that the test can check whether any remain. */
let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'strongroom-dev-test-'));
  await chmod(temporary, 0o755);
});
afterEach(async () => {
  await Program.killAll();
  await rm(temporary, { recursive: true });
});

describe('strongroom dev', () => {
  it('is a whole vault after one line, with four keys, and is gone without a trace after SIGTERM', async () => {
    const program = Program.start(['dev', '--port', '0', '--json'], { TMPDIR: temporary });
    const ready = await program.ready<Ready>();
    expect(ready).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      admin_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      elements_url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      shop_url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      bound_url: ready.url.replace('localhost', '127.0.0.1'),
      sign_in_url: expect.stringMatching(/^http:\/\/localhost:\d+\/portal\/links\/\S{44}$/),
      echo_url: expect.stringMatching(/^https:\/\/echo\.localhost:\d+$/),
      tenant_id: expect.any(String),
      keys: {
        private: expect.stringMatching(/^key_test_pvt_/),
        reveal: expect.stringMatching(/^key_test_pvt_/),
        public: expect.stringMatching(/^key_test_pub_/),
        management: expect.stringMatching(/^key_test_mgt_/),
      },
      variables: {
        VAULT_URL: ready.url,
        ELEMENTS_URL: ready.elements_url,
        PROVIDER_URL: ready.echo_url,
        PRIVATE_KEY: ready.keys.private,
        REVEAL_KEY: ready.keys.reveal,
        PUBLIC_KEY: ready.keys.public,
        MANAGEMENT_KEY: ready.keys.management,
        TENANT_ID: ready.tenant_id,
        SIGN_IN_URL: ready.sign_in_url,
      },
      settings: {
        STRONGROOM_DATABASE_URL: expect.stringMatching(/^postgresql:/),
        STRONGROOM_PUBLIC_URL: ready.url,
        STRONGROOM_ELEMENTS_URL: ready.elements_url,
        STRONGROOM_ROOT_KEY: expect.any(String),
      },
    });
    await expectKeysToDoTheirPart(ready);
    const { servers } = (await get(ready, '/openapi.json', '')).body as { servers: unknown };
    expect(servers).toEqual([{ url: ready.url }]);
    expect((await fetch(`${ready.admin_url}/readyz`)).status).toBe(200);
    await expectSignInToBeKept(ready);
    await expectLandingPageToLead(ready);
    expect(await listProcessesAt(temporary)).not.toEqual([]);

    const { code, stdout, stderr } = await program.stop();
    expect({ code, lines: stdout.split('\n').length, stderr }).toEqual({ code: 0, lines: 2, stderr: '' });
    await expectNothingLeft();
  });

  it('mails invitations by the mail server that it is told, and leaves nothing behind when it is killed', async () => {
    const mailServer = await MailServer.start();
    try {
      const program = Program.start(['dev', '--port', '0', '--json'], {
        TMPDIR: temporary,
        STRONGROOM_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
        STRONGROOM_MAIL_FROM: 'vault@example.com',
      });
      const ready = await program.ready<Ready>();
      await post(ready, '/tenants/self/invitations', ready.keys.management, { email: 'ada@example.com' });
      await eventually('the mail', async () => mailServer.mails.length > 0);
      const [mail] = mailServer.mails as [ReceivedMail];
      expect([mail.from, mail.to]).toEqual(['vault@example.com', ['ada@example.com']]);
      expect(linkIn(mail)).toContain(`${ready.url}/portal/invitations/`);
      expect(await listProcessesAt(temporary)).not.toEqual([]);
      expect(await program.stop('SIGKILL')).toMatchObject({ code: null });
      await eventually('nothing to be left', isNothingLeft);
    } finally {
      await mailServer.stop();
    }
  });

  it('says at once that a mail server needs a sender', async () => {
    const { code, stderr } = await Program.run(['dev', '--port', '0'], {
      STRONGROOM_SMTP_URL: 'smtps://mail.example.com',
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('STRONGROOM_MAIL_FROM is not set');
  });

  it('offers the OpenID provider that it is told', async () => {
    const program = Program.start(['dev', '--port', '0', '--json'], {
      TMPDIR: temporary,
      STRONGROOM_OPENID_ISSUER: 'http://127.0.0.1:9',
      STRONGROOM_OPENID_CLIENT_ID: 'strongroom',
      STRONGROOM_OPENID_CLIENT_SECRET: 'a secret of the provider',
      STRONGROOM_OPENID_NAME: 'Acme login',
    });
    const ready = await program.ready<Ready>();
    expect(await (await fetch(`${ready.url}/portal/sign-in`)).text()).toContain('Sign in with Acme login');
    await program.stop();
    await eventually('nothing to be left', isNothingLeft);
  });

  it('leaves nothing behind when it is stopped while PostgreSQL starts', async () => {
    const program = Program.start(['dev', '--port', '0', '--json'], { TMPDIR: temporary });
    await eventually('a process of PostgreSQL', async () => (await listProcessesAt(temporary)).length > 0);
    expect(await program.stop()).toMatchObject({ code: 0, stdout: '' });
    await expectNothingLeft();
  });

  it('leaves nothing behind when it is killed while PostgreSQL starts', async () => {
    const program = Program.start(['dev', '--port', '0', '--json'], { TMPDIR: temporary });
    await eventually('a process of PostgreSQL', async () => (await listProcessesAt(temporary)).length > 0);
    expect(await program.stop('SIGKILL')).toMatchObject({ code: null, stdout: '' });
    await eventually('nothing to be left', isNothingLeft);
  });

  it('leaves nothing behind when its PostgreSQL has died', async () => {
    const program = Program.start(['dev', '--port', '0', '--json'], { TMPDIR: temporary });
    const ready = await program.ready<Ready>();
    await post(ready, '/tokens', ready.keys.private, { type: 'token', data: 1 });
    await killPostgres();
    await eventually('the vault to notice', async () => (await fetch(`${ready.admin_url}/readyz`)).status === 503);
    await program.stop();
    await expectNothingLeft();
  });

  it('leaves nothing behind when its port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { code, stderr } = await Program.run(['dev', '--port', String(port)], { TMPDIR: temporary });
    holder.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is already in use (127.0.0.1:${port}).`);
    await eventually('nothing to be left', isNothingLeft);
  });
});

async function killPostgres(): Promise<void> {
  const [directory = ''] = await readdir(temporary);
  const text = await readFile(path.join(temporary, directory, 'postgres/postmaster.pid'), 'utf8');
  process.kill(Number.parseInt(text, 10), 'SIGKILL');
  await eventually('the end of PostgreSQL', async () => (await listProcessesAt(temporary)).length === 0);
}

/** Polls only twenty times a second, so that the program under test gets most of the processor time. */
async function eventually(waitingFor: string, isTrue: () => Promise<boolean>): Promise<void> {
  await untilTrue(() => pause(50).then(isTrue), { waitingFor });
}

async function expectKeysToDoTheirPart(ready: Ready): Promise<void> {
  const { keys } = ready;
  const created = await post(ready, '/tokens', keys.public, { type: 'token', data: 'Sensitive Value' });
  expect(created.status).toBe(201);
  const { id } = created.body as { id: string };
  const masked = await get(ready, `/tokens/${id}`, keys.private);
  expect(masked.status).toBe(200);
  expect(masked.body).not.toHaveProperty('data');
  expect(await get(ready, `/tokens/${id}`, keys.reveal)).toMatchObject({
    status: 200,
    body: { data: 'Sensitive Value' },
  });

  expect((await get(ready, `/tokens/${id}`, keys.public)).status).toBe(403);
  const ownOf = async (key: string) => (await get(ready, '/applications/key', key)).body as { permissions: string[] };
  expect((await ownOf(keys.public)).permissions).toEqual(['token:create']);

  const all = await get(ready, '/permissions?application_type=management', keys.management);
  const permissions = (all.body as { type: string }[]).map(({ type }) => type);
  expect(permissions.length).toBeGreaterThan(10);
  expect((await ownOf(keys.management)).permissions.toSorted()).toEqual(permissions.sort());
  expect((await get(ready, `/tokens/${id}`, keys.management)).status).toBe(403);
  expect(await get(ready, '/tenants/self', keys.management)).toMatchObject({ body: { id: ready.tenant_id } });
}

/** Checks that every link of the page works and that the page contains no secret. */
async function expectLandingPageToLead(ready: Ready): Promise<void> {
  const page = await (await fetch(`${ready.url}/`)).text();
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links).toContain('/docs');
  expect(links).toContain(`${ready.admin_url}/metrics`);
  expect(links).toContain('/docs/guide/');
  for (const link of links) expect([link, (await fetch(new URL(link, ready.url))).status]).toEqual([link, 200]);
  const secrets = [...Object.values(ready.keys), ready.sign_in_url, ready.tenant_id, ...Object.values(ready.settings)];
  for (const secret of secrets.filter((text) => text !== ready.url)) expect(page).not.toContain(secret);
}

/** Safari and WebKit drop secure cookies at http://localhost, so the sign-in page would simply come back. */
async function expectSignInToBeKept(ready: Ready): Promise<void> {
  const signedIn = await fetch(ready.sign_in_url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: ready.url, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const cookie = signedIn.headers.get('set-cookie') ?? '';
  expect([signedIn.status, cookie]).toEqual([303, expect.not.stringMatching(/Secure|__Host-/)]);
  const account = await fetch(`${ready.url}/portal/account`, {
    redirect: 'manual',
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  expect(account.status).toBe(200);
}

async function isNothingLeft(): Promise<boolean> {
  const [processes, files] = [await listProcessesAt(temporary), await readdir(temporary)];
  return processes.length === 0 && files.length === 0;
}

async function expectNothingLeft(): Promise<void> {
  expect(await listProcessesAt(temporary)).toEqual([]);
  expect(await readdir(temporary)).toEqual([]);
}

function get(ready: Ready, url: string, key: string) {
  return ask(`${ready.url}${url}`, { headers: { 'bt-api-key': key } });
}

function post(ready: Ready, url: string, key: string, body: unknown) {
  const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
  return ask(`${ready.url}${url}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function ask(url: string, request: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, request);
  return { status: response.status, body: await response.json() };
}
