import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { inviteTo, setPassword, welcome } from '../../../../test/harness/portal-people.ts';
import { fieldIn, PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { removeAtOnce } from '../../../../test/harness/tenant-people.ts';
import { recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { VaultServer } from '../../../app/serve/vault-server.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { StatementError } from '../../../platform/database/database-error.ts';
import { SignInLinks } from '../index.ts';

let vault: TestVault;
let another: VaultServer;
let tenant: TestTenant;
let visitor: PortalVisitor;
beforeAll(async () => {
  vault = await TestVault.start();
  another = await vault.startAnother();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  visitor = new PortalVisitor(vault.server.url);
});
afterAll(() => vault.stop());

const managed = (method: string, path: string) =>
  vault.request(method, `/tenants/self${path}`, { key: tenant.keys.management });
async function memberIdOf(email: string): Promise<string> {
  const { rows } = await vault.database.owner.query<{ id: string }>(
    'select m.id from members m join users u on u.id = m.user_id where m.tenant_id = $1 and u.email = $2',
    [tenant.id, email],
  );
  return rows[0]?.id ?? '';
}
const links = (aheadSeconds = 0) => {
  const { database, systemKeys } = vault.server.core;
  return new SignInLinks({ database, systemKeys, clock: { aheadSeconds } });
};
const ownerLink = () => links().make(parseTenantId(tenant.id), undefined);

describe('the page of an invitation', () => {
  it('says who asks, into what and as what, and a look accepts nothing', async () => {
    const { path, email, id } = await inviteTo(vault, tenant);
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(`${vault.server.url}${path}`, { method });
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    for (const text of ['Test', 'a vault operator', 'ADMIN', email]) expect(page.text).toContain(text);
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await managed('GET', `/invitations/${id}`)).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    expect(await memberIdOf(email)).toBe('');
  });

  it('names the application that invited', async () => {
    const body = { email: `${crypto.randomUUID()}@example.com`, role: 'READ_ONLY' };
    const made = await vault.request('POST', '/tenants/self/invitations', { key: tenant.keys.management, body });
    const { id } = made.body as { id: string };
    const { rows } = await vault.database.owner.query<{ link_sealed: Buffer }>(
      'select link_sealed from invitations where id = $1',
      [id],
    );
    const place = { owner: id, field: `invitation link for ${body.email}` };
    const link = vault.server.core.systemKeys.sealer().open(rows[0]?.link_sealed ?? Buffer.alloc(0), place);
    const page = await visitor.get(`/portal/invitations/${link}`);
    expect(page.text).toContain('management');
    expect(page.text).toContain('READ_ONLY');
  });

  it('is plain text where others have typed, has no script of its own, and may load nothing from elsewhere', async () => {
    const nasty = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
    await vault.database.owner.query('update tenants set name = $2 where id = $1', [tenant.id, nasty]);
    const { path } = await inviteTo(vault, tenant);
    const page = await visitor.get(path);
    expect(page.text).not.toContain('<script>');
    expect(page.text).not.toContain('<img');
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text.match(/<script/g)).toEqual(['<script']);
    expect(page.text).toContain('<script src="/portal/assets/portal.js" defer></script>');
    expect(page.text).not.toMatch(/\son\w+=["']|style=|javascript:/);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
  });

  it('lets in anyone who accepts, with a cookie that no script reads and no other site sends', async () => {
    const { path, email } = await inviteTo(vault, tenant);
    const answer = await visitor.post(path);
    expect([answer.status, answer.location]).toEqual([303, '/portal/account']);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-strongroom_session=[1-9A-HJ-NP-Za-km-z]{44}; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict$/,
    );
    const home = await visitor.get('/portal/account');
    expect(home.status).toBe(200);
    expect(home.text).toContain(email);
    expect((await visitor.post(path)).status).toBe(404);
    const { rows } = await vault.database.owner.query('select secret_hash::text from user_sessions');
    expect(JSON.stringify(rows)).not.toContain(visitor.cookies.get('__Host-strongroom_session'));
  });

  it('tells who has an account already to sign in first', async () => {
    const { email } = await welcome(vault, tenant);
    const other = await vault.makeTenant();
    const { path } = await inviteTo(vault, other, email);
    const page = await visitor.get(path);
    expect(page.text).not.toContain('<form');
    expect(page.text).toContain(`/portal/sign-in?invitation=${path.split('/').at(-1)}`);
    const refusal = await visitor.post(path);
    expect([refusal.status, refusal.headers.getSetCookie()]).toEqual([403, []]);
  });

  it.each(['/portal/invitations/x', `/portal/invitations/${'1'.repeat(44)}`, `/portal/links/${'1'.repeat(44)}`])(
    '%s is not found, the same for all',
    async (path) => {
      expect((await visitor.get(path)).status).toBe(404);
      expect((await visitor.post(path)).status).toBe(404);
    },
  );

  it('says that an invitation has expired', async () => {
    const { path, id } = await inviteTo(vault, tenant);
    await vault.database.owner.query('update invitations set expires_at = now() where id = $1', [id]);
    expect((await visitor.get(path)).status).toBe(410);
    expect((await visitor.post(path)).status).toBe(404);
  });
});

describe('what another site makes a browser send', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
    {},
  ])('is refused (%j), and nothing has happened', async (headers) => {
    const { path, email } = await inviteTo(vault, tenant);
    expect((await visitor.post(path, {}, headers as Record<string, string>)).status).toBe(403);
    expect(await memberIdOf(email)).toBe('');
  });

  it('is taken from an older browser that names our origin', async () => {
    const { path } = await inviteTo(vault, tenant);
    expect((await visitor.post(path, {}, { origin: 'http://localhost' })).status).toBe(303);
  });

  it.each([
    ['application/json', '{}', 415],
    ['text/plain', 'email=a', 415],
    ['application/x-www-form-urlencoded; charset=utf-7', 'email=a', 415],
    ['application/x-www-form-urlencoded', 'email=a&email=b', 400],
    ['application/x-www-form-urlencoded', Array.from({ length: 21 }, (_, index) => `f${index}=1`).join('&'), 400],
    ['application/x-www-form-urlencoded', `email=${'a'.repeat(40_000)}`, 413],
  ])('must be a form: %s', async (contentType, body, status) => {
    const answer = await fetch(`${vault.server.url}/portal/sign-in`, {
      method: 'POST',
      headers: { 'content-type': contentType, 'sec-fetch-site': 'same-origin' },
      body,
    });
    expect(answer.status).toBe(status);
  });
});

describe('a member who is deleted', () => {
  it('is out on two servers within a second, and the sign-in link with them', async () => {
    const { visitor: member, email } = await welcome(vault, tenant);
    const elsewhere = member.at(another.url);
    expect([await member.isSignedIn(), await elsewhere.isSignedIn()]).toEqual([true, true]);
    const memberId = await memberIdOf(email);
    const link = await links().make(parseTenantId(tenant.id), memberId);
    expect((await managed('DELETE', `/members/${memberId}`)).status).toBe(204);
    const deadline = { waitingFor: 'the cookie to be refused' };
    await untilTrue(async () => !(await member.isSignedIn()), deadline);
    await untilTrue(async () => !(await elsewhere.isSignedIn()), deadline);
    expect((await elsewhere.get('/portal/')).location).toBe('/portal/sign-in');
    expect((await visitor.post(link)).status).toBe(404);
  });

  it('is out as well when the whole tenant goes', async () => {
    const { visitor: member } = await welcome(vault, tenant);
    expect((await removeAtOnce(vault, tenant)).status).toBe(204);
    expect(await member.isSignedIn()).toBe(false);
  });

  it('leaves nobody else signed out', async () => {
    const { email } = await welcome(vault, tenant);
    const { visitor: other } = await welcome(vault, tenant);
    await managed('DELETE', `/members/${await memberIdOf(email)}`);
    expect(await other.isSignedIn()).toBe(true);
  });
});

describe('the link of an operator', () => {
  it('signs the owner in, once, by a press of a button, and tells the tenant', async () => {
    const path = await ownerLink();
    const page = await visitor.get(path);
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
    const attempts = await Promise.all(
      Array.from({ length: 10 }, () => new PortalVisitor(vault.server.url).post(path)),
    );
    expect(attempts.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(attempts.filter(({ status }) => status === 404)).toHaveLength(9);
    const records = await vault.auditRecords(tenant.id);
    expect(records.filter(({ entity_type }) => entity_type === 'session')).toMatchObject([
      { operation: 'sign_in', outcome: 'success', actor_type: 'user' },
    ]);
  });

  it('dies after an hour, and when another is made', async () => {
    const first = await ownerLink();
    const second = await ownerLink();
    expect((await visitor.get(first)).status).toBe(404);
    const text = second.split('/').at(-1) ?? '';
    expect(await links(59 * 60).find(text)).toBeDefined();
    expect(await links(61 * 60).find(text)).toBeUndefined();
    expect(await links(61 * 60).take(text)).toBeUndefined();
    expect((await visitor.post(second)).status).toBe(303);
  });

  it('is made for members of the tenant only', async () => {
    const other = await vault.makeTenant();
    const owner = (await managed('GET', '/owner')).body as { id: string };
    await expect(links().make(parseTenantId(other.id), owner.id)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('signing out', () => {
  it('ends the session on the server, and tells the tenant', async () => {
    const { visitor: member } = await welcome(vault, tenant);
    const copy = member.at(vault.server.url);
    const answer = await member.post('/portal/sign-out');
    expect([answer.status, answer.location, member.cookies.size]).toEqual([303, '/portal/sign-in', 0]);
    expect(await copy.isSignedIn()).toBe(false);
    const records = await vault.auditRecords(tenant.id);
    const ended = records.filter(({ entity_type, operation }) => entity_type === 'session' && operation === 'sign_out');
    expect(ended).toMatchObject([{ actor_type: 'user', outcome: 'success' }]);
  });
});

describe('ways to sign in', () => {
  it('are not changed by a session that is older than a quarter of an hour', async () => {
    const { visitor: member, email } = await welcome(vault, tenant);
    const page = await member.post('/portal/password/begin');
    await vault.database.owner.query(`update user_sessions set created_at = created_at - interval '16 minutes'`);
    for (const [path, form] of [
      ['/portal/password/begin', {}],
      ['/portal/password', { sealed: fieldIn(page, 'sealed'), password: 'x'.repeat(12), code: '123456' }],
      ['/portal/passkeys', { sealed: 'x', credential: '{}' }],
    ] as const) {
      expect([path, (await member.post(path, form)).status]).toEqual([path, 403]);
    }
    expect(await member.isSignedIn()).toBe(true);
    expect(await memberIdOf(email)).not.toBe('');
  });

  it('are recorded as a change of the member', async () => {
    const { visitor: member, email } = await welcome(vault, tenant);
    await setPassword(member);
    expect(await recordsOf(vault, tenant, await memberIdOf(email))).toMatchObject([
      { operation: 'create' },
      { entity_type: 'member', operation: 'change_sign_in', actor_type: 'user' },
    ]);
  });

  it.each(['', 'x', '{}', '{"id":"x"}', '{"id":7}', '[]', 'null'])('refuses the passkey %j', async (credential) => {
    const page = await visitor.get('/portal/sign-in');
    const sealed = fieldIn(page, 'sealed');
    expect((await visitor.post('/portal/sign-in/passkey', { sealed, credential })).status).toBe(401);
    const { visitor: member } = await welcome(vault, tenant);
    const home = await member.get('/portal/account');
    const answer = await member.post('/portal/passkeys', { sealed: fieldIn(home, 'sealed'), credential });
    expect(answer.status).toBe(400);
  });
});

describe('the database', () => {
  it.each([
    'select from user_passwords',
    'select from user_sessions',
    'select from user_links',
    'select from user_passkeys',
    'select from sign_in_attempts',
    'delete from user_sessions',
    `insert into user_sessions (id, user_id, secret_hash) select gen_random_uuid(), id, '' from users`,
    `update users set email = 'x@example.com'`,
  ])('lets a tenant not %s of others', async (text) => {
    const other = await vault.makeTenant();
    const { email } = await welcome(vault, other);
    const { rows } = await vault.database.owner.query<{ id: string }>('select id from users where email = $1', [email]);
    const statement = text
      .replace('select gen_random_uuid(), id,', `select gen_random_uuid(), '${rows[0]?.id}',`)
      .replace(' from users', '');
    const work = vault.server.core.database.forTenant(parseTenantId(tenant.id), (tx) => tx.query({ text: statement }));
    await expect(work).rejects.toBeInstanceOf(StatementError);
  });
});
