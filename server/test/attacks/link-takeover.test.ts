import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { SignInLinks } from '../../src/features/portal/index.ts';
import { codeOf, goodPassword, inviteTo, setPassword, signInProven, welcome } from '../harness/portal-people.ts';
import { fieldIn, type PageResponse, PortalVisitor } from '../harness/portal-visitor.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A link lets a user without a sign-in method set one up. For any other user, a link must not be enough to add a second
 * method or to remove the existing one. The user would not notice that somebody else has access.
 */
const ownPage = { 'sec-fetch-site': 'same-origin' };
const newPassword = 'a password of somebody else 1';

let vault: TestVault;
let production: TestTenant;
let plain: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  [production, plain] = [await vault.makeTenant('production'), await vault.makeTenant()];
});
afterAll(() => vault.stop());

const newVisitor = () => new PortalVisitor(vault.server.url);

async function find<Row extends object>(text: string, ...values: string[]): Promise<Row[]> {
  return (await vault.database.owner.query<Row>(text, values)).rows;
}

async function memberOf(email: string, tenant = production): Promise<{ id: string; userId: string }> {
  const [row] = await find<{ id: string; userId: string }>(
    'select m.id, m.user_id as "userId" from members m join users u on u.id = m.user_id where u.email = $1 and m.tenant_id = $2',
    email,
    tenant.id,
  );
  return row ?? { id: '', userId: '' };
}

/** Follows a link that an operator created, in a separate browser. */
async function followLink(
  email: string,
  { tenant = production, removesWays = false }: { tenant?: TestTenant; removesWays?: boolean } = {},
): Promise<PortalVisitor> {
  const { database, systemKeys } = vault.server.core;
  const { id } = await memberOf(email, tenant);
  const path = await new SignInLinks({ database, systemKeys }).make(parseTenantId(tenant.id), id, { removesWays });
  const visitor = newVisitor();
  expect((await visitor.post(path)).status).toBe(303);
  return visitor;
}

async function join(email: string, tenant: TestTenant): Promise<void> {
  await find(
    `insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from users where email = $2 returning id`,
    tenant.id,
    email,
  );
}

const readTenant = async (visitor: PortalVisitor, tenant: TestTenant) =>
  (await visitor.send('GET', '/portal/api/tenants/self', { ...ownPage, 'strongroom-tenant': tenant.id })).status;

const signIn = (email: string, secret: string, password = goodPassword) =>
  newVisitor().post('/portal/sign-in', { email, password, code: codeOf(secret, 1) });

const waysOf = async (email: string) =>
  (
    await find<{ kind: string }>(
      `select 'password' as kind from user_passwords p join users u on u.id = p.user_id where u.email = $1
        union all select 'passkey' from user_passkeys p join users u on u.id = p.user_id where u.email = $1
        union all select 'provider' from user_identities p join users u on u.id = p.user_id where u.email = $1`,
      email,
    )
  ).map(({ kind }) => kind);

async function begin(visitor: PortalVisitor): Promise<{ sealed: string; secret: string }> {
  const page = await visitor.post('/portal/password/begin');
  const [, secret = ''] = /<code id="key">([A-Z2-7]+)<\/code>/.exec(page.text) ?? [];
  return { sealed: fieldIn(page, 'sealed'), secret };
}

const complete = (visitor: PortalVisitor, { sealed, secret }: { sealed: string; secret: string }) =>
  visitor.post('/portal/password', { sealed, password: newPassword, code: codeOf(secret) });

const clearsCookie = ({ headers }: PageResponse) =>
  headers.getSetCookie().some((line) => line.startsWith('__Host-strongroom_session=;'));

/** The requests that change how somebody signs in. */
const changes: [string, Record<string, string>][] = [
  ['/portal/passkeys', {}],
  ['/portal/password/begin', {}],
  ['/portal/password', { password: newPassword, code: '123456', sealed: 'x' }],
  ['/portal/recovery-codes', {}],
  ['/portal/passkeys/remove', { id: 'AAAA', confirmed: 'last-removal' }],
  ['/portal/provider/remove', { issuer: 'https://id.example', confirmed: 'last-removal' }],
];

describe('somebody with a way to sign in, whose link another one has followed', () => {
  it.each(changes)('keeps what they have, and nothing is added: %s', async (path, form) => {
    const { email } = await signInProven(vault, production);
    const intruder = await followLink(email);
    const answer = await intruder.post(path, form);
    expect([answer.status, answer.text.includes('Sign out, then sign in the way you usually do.')]).toEqual([
      403,
      true,
    ]);
    expect(await waysOf(email)).toEqual(['password']);
    expect(await readTenant(intruder, production)).toBe(403);
  });

  it('is told on the account page how to get in', async () => {
    const { email } = await signInProven(vault, production);
    const { text } = await (await followLink(email)).get('/portal/account');
    expect(text).toContain('--remove-ways');
    for (const unwanted of ['Set up a passkey', '/portal/password/begin']) expect(text).not.toContain(unwanted);
  });

  it('is not helped by a page that was opened before they had a way', async () => {
    const { visitor: intruder, email } = await welcome(vault, production);
    const begun = await begin(intruder);
    const owner = await followLink(email);
    // Following a link leaves the other session unchanged until a sign-in method is set up.
    const secret = await setPassword(owner);
    expect([303, 403]).toContain((await complete(intruder, begun)).status);
    expect((await signIn(email, secret)).status).toBe(303);
    expect((await intruder.get('/portal/account')).location).toContain('/portal/sign-in');
  });

  it('has the same protection where one of several tenants requires a way', async () => {
    const { email } = await signInProven(vault, plain);
    await join(email, production);
    const intruder = await followLink(email, { tenant: plain });
    expect((await intruder.post('/portal/password/begin')).status).toBe(403);
  });

  it.each(changes)('has the same protection where no tenant requires a way yet: %s', async (path, form) => {
    const { email } = await signInProven(vault, plain);
    const intruder = await followLink(email, { tenant: plain });
    expect((await intruder.post(path, form)).status).toBe(403);
    expect(await waysOf(email)).toEqual(['password']);
    expect(await readTenant(intruder, plain)).toBe(200);
  });
});

describe('somebody who has set up a way with a link', () => {
  it('is signed out, signs in with it, and can do what the role permits', async () => {
    const { visitor, email } = await welcome(vault, production);
    const { sealed, secret } = await begin(visitor);
    const cookies = new Map(visitor.cookies);
    const done = await visitor.post('/portal/password', { sealed, password: goodPassword, code: codeOf(secret) });
    expect([done.status, clearsCookie(done), done.text.includes('/portal/sign-in?ready=true')]).toEqual([
      200,
      true,
      true,
    ]);
    const kept = newVisitor();
    for (const [name, value] of cookies) kept.cookies.set(name, value);
    expect(await readTenant(kept, production)).toBe(401);
    expect((await visitor.get('/portal/sign-in?ready=true')).text).toContain('Sign in with what you have just set up.');
    const again = newVisitor();
    const form = { email, password: goodPassword, code: codeOf(secret, 1) };
    expect((await again.post('/portal/sign-in', form)).status).toBe(303);
    expect(await readTenant(again, production)).toBe(200);
    const { id } = await memberOf(email);
    expect((await recordsOf(vault, production, id)).map(({ operation }) => operation)).toContain('change_sign_in');
  });

  it('ends every session that began with a link', async () => {
    const { visitor, email } = await welcome(vault, production);
    const other = await followLink(email);
    await setPassword(visitor);
    expect(await readTenant(other, production)).toBe(401);
  });

  it('sets up one, however many are completed at once', async () => {
    const { visitor, email } = await welcome(vault, production);
    const begun = [await begin(visitor), await begin(visitor), await begin(visitor), await begin(visitor)];
    const answers = await Promise.all(begun.map((one) => complete(visitor, one)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => [200, 303, 400, 403].includes(status))).toBe(true);
    const winner = begun[answers.findIndex(({ status }) => status === 200)];
    expect((await signIn(email, winner?.secret ?? '', newPassword)).status).toBe(303);
  });

  it('cannot with a link that was followed more than 15 minutes ago, and is told what to do', async () => {
    const { visitor, email } = await welcome(vault, production);
    const { userId } = await memberOf(email);
    await find(
      `update user_sessions set created_at = created_at - interval '16 minutes' where user_id = $1 returning id`,
      userId,
    );
    expect((await visitor.get('/portal/account')).text).toContain('Ask your vault operator for a new one');
    const answer = await visitor.post('/portal/password/begin');
    expect([answer.status, answer.text.includes('ask your vault operator for a new link')]).toEqual([403, true]);
  });
});

describe('a link that removes what somebody has lost', () => {
  it('signs them out everywhere, removes every way, and says so in each of their tenants', async () => {
    const other = await vault.makeTenant('production');
    const { visitor, email } = await signInProven(vault, production);
    await join(email, other);
    const { userId } = await memberOf(email);
    await find(
      `insert into user_identities (user_id, issuer, subject) values ($1, 'https://id.example', $2) returning user_id`,
      userId,
      email,
    );
    const link = await followLink(email, { removesWays: true });
    expect(await readTenant(visitor, production)).toBe(401);
    expect(await waysOf(email)).toEqual([]);
    expect(await find('select from user_recovery_codes where user_id = $1', userId)).toEqual([]);
    for (const tenant of [production, other]) {
      const { id } = await memberOf(email, tenant);
      expect(await recordsOf(vault, tenant, id)).toContainEqual(
        expect.objectContaining({ operation: 'change_sign_in', actor_type: 'system' }),
      );
    }
    expect(await readTenant(link, production)).toBe(403);
    await setPassword(link);
    expect(await waysOf(email)).toEqual(['password']);
  });
});

describe('a member of a test tenant who has lost every way', () => {
  it('sets up another with a link that removes them', async () => {
    const { email } = await signInProven(vault, plain);
    const link = await followLink(email, { tenant: plain, removesWays: true });
    expect((await link.get('/portal/account')).text).toContain('Set up a passkey');
    const secret = await setPassword(link);
    expect([await waysOf(email), await readTenant(link, plain)]).toEqual([['password'], 401]);
    expect((await signIn(email, secret)).status).toBe(303);
  });
});

describe('a member of a test and a production tenant', () => {
  it('works with a link in the one, and not in the other', async () => {
    const { visitor, email } = await welcome(vault, plain);
    await join(email, production);
    expect([await readTenant(visitor, plain), await readTenant(visitor, production)]).toEqual([200, 403]);
    expect((await visitor.get('/portal/')).status).toBe(200);
    const me = await visitor.send('GET', '/portal/api/me', ownPage);
    const { tenants } = JSON.parse(me.text) as { tenants: { id: string; needs_sign_in_way: boolean }[] };
    expect(Object.fromEntries(tenants.map(({ id, needs_sign_in_way }) => [id, needs_sign_in_way]))).toEqual({
      [plain.id]: false,
      [production.id]: true,
    });
  });

  it('sees exports of the one alone', async () => {
    const { visitor, email } = await welcome(vault, plain);
    const secret = await vault.makeTenant('production');
    await find(`update tenants set name = 'Most secret' where id = $1 returning id`, secret.id);
    await join(email, secret);
    const { status, text } = await visitor.get('/portal/exports');
    expect([status, text.includes('Most secret')]).toEqual([200, false]);
  });

  it('is let into both with a way of their own', async () => {
    const { visitor, email } = await signInProven(vault, plain);
    await join(email, production);
    expect([await readTenant(visitor, plain), await readTenant(visitor, production)]).toEqual([200, 200]);
  });
});

describe('accepting an invitation while signed in', () => {
  const sessionsOf = (email: string) =>
    find(
      `select s.id, s.created_at, s.proven_since from user_sessions s join users u on u.id = s.user_id where u.email = $1 order by s.id`,
      email,
    );
  const makeStale = (email: string) =>
    find(
      `update user_sessions s set created_at = s.created_at - interval '16 minutes' from users u where u.id = s.user_id and u.email = $1 returning s.id`,
      email,
    );
  const accept = async (visitor: PortalVisitor, email: string, tenant: TestTenant) =>
    visitor.post((await inviteTo(vault, tenant, email)).path);

  it('does not make an old sign-in a recent one', async () => {
    const { visitor, email } = await signInProven(vault, plain);
    await makeStale(email);
    const before = await sessionsOf(email);
    const other = await vault.makeTenant();
    const answer = await accept(visitor, email, other);
    expect([answer.status, answer.location, answer.headers.getSetCookie()]).toEqual([303, '/portal/', []]);
    expect(await sessionsOf(email)).toEqual(before);
    for (const tenant of [plain, other]) {
      const headers = { ...ownPage, 'strongroom-tenant': tenant.id };
      const { status, text } = await visitor.send('DELETE', `/portal/api/tokens/${crypto.randomUUID()}`, headers);
      expect([status, text.includes('sign-in-too-old')]).toEqual([403, true]);
    }
    expect((await visitor.post('/portal/password/begin')).status).toBe(403);
  });

  it('leaves a session what it was begun with', async () => {
    const { visitor, email } = await signInProven(vault, plain);
    expect((await accept(visitor, email, production)).status).toBe(303);
    expect(await readTenant(visitor, production)).toBe(200);
    const { id } = await memberOf(email);
    expect((await recordsOf(vault, production, id)).map(({ operation }) => operation)).toEqual(['create']);
  });

  it('opens no production tenant to somebody who is signed in with a link', async () => {
    const { visitor, email } = await welcome(vault, plain);
    expect((await accept(visitor, email, production)).status).toBe(303);
    expect([await readTenant(visitor, plain), await readTenant(visitor, production)]).toEqual([200, 403]);
  });

  it('as somebody else gives the newcomer a session that began with a link', async () => {
    const { visitor, email } = await signInProven(vault, production);
    const { path } = await inviteTo(vault, production);
    expect((await visitor.post(path)).location).toBe('/portal/account');
    expect(await readTenant(visitor, production)).toBe(403);
    // The first request of the new session ended the previous session, without any trace in the browser.
    expect((await sessionsOf(email)).length).toBe(0);
  });
});
