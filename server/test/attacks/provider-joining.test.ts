import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { parseEmailAddress } from '../../src/core/identity/email-address.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { callbackPath, ProviderJoining, SignInLinks } from '../../src/features/portal/index.ts';
import { SettingSwitch } from '../../src/features/tenants/index.ts';
import { readServerConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { CarelessOpenidServer } from '../harness/careless-openid-server.ts';
import { inviteTo, setPassword, signInProven } from '../harness/portal-people.ts';
import { type PageResponse, PortalVisitor } from '../harness/portal-visitor.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { cheapHasher } from '../harness/test-vault.ts';

/**
 * Whoever controls the provider chooses what it claims. It may create users of the domains that an operator has allowed,
 * with the roles of their groups, and nothing else: no existing user, no other tenant, and nobody who was removed.
 */
let database: TestDatabase;
let server: VaultServer;
let provider: CarelessOpenidServer;
let acme: { id: string };
let careful: { id: string };
let other: { id: string };
let gone: { id: string };
const rootKey = generateRootKey();

beforeAll(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), CarelessOpenidServer.start()]);
  const maker = await startServer({});
  const make = async () => ({
    id: (await maker.core.tenantMaker.make({ name: 'Acme', type: 'test', ownerEmail: null, applications: [] }))
      .tenantId,
  });
  [acme, careful, other, gone] = [await make(), await make(), await make(), await make()];
  await maker.stop();
  const roles = { admins: 'ADMIN', auditors: 'READ_ONLY' };
  server = await startServer({
    [acme.id]: { domains: ['acme.example', 'acme.org'], roles },
    [careful.id]: { domains: ['careful.example'], roles },
    [other.id]: { domains: ['other.example'], roles: { '*': 'READ_ONLY' } },
    [gone.id]: { domains: ['gone.example'], roles },
  });
  await turn(careful, 'approve_plaintext', true);
  await database.owner.query('update tenants set deleted_at = now() where id = $1', [gone.id]);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([provider.stop(), database.drop()]);
});

async function startServer(members: object): Promise<VaultServer> {
  const port = await findFreePort();
  const config = readServerConfig({
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_DATABASE_CONNECTIONS: '6',
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_RATE_LIMITS: 'off',
    STRONGROOM_OPENID_ISSUER: provider.issuer,
    STRONGROOM_OPENID_CLIENT_ID: 'strongroom',
    STRONGROOM_OPENID_CLIENT_SECRET: 'between the two',
    STRONGROOM_OPENID_MEMBERS: JSON.stringify(members),
  });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return VaultServer.start(config, silent, { passwordHasher: cheapHasher() });
}

const turn = (tenant: { id: string }, name: 'approve_plaintext' | 'require_openid', isOn: boolean) =>
  new SettingSwitch(server.core.database).turn(parseTenantId(tenant.id), name, isOn);

interface Claims {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly groups?: unknown;
}
const newEmail = (domain = 'acme.example') => `${crypto.randomUUID()}@${domain}`;
const claimsOf = (email: string, groups: unknown = ['auditors']): Claims => ({ email, email_verified: true, groups });

/** Sets out for the provider and returns the way back, which can be taken later. */
async function depart(subject: string): Promise<(claims: Claims) => Promise<[PortalVisitor, PageResponse]>> {
  const visitor = new PortalVisitor(server.url);
  const page = await visitor.post('/portal/sign-in/provider');
  const [, url = ''] = /<a href="([^"]+)"/.exec(page.text) ?? [];
  const { searchParams } = new URL(url.replaceAll('&amp;', '&'));
  return async (claims) => {
    provider.subject = subject;
    provider.nonce = searchParams.get('nonce') ?? '';
    provider.claims = { auth_time: Math.floor(Date.now() / 1_000), ...claims };
    const query = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '', iss: provider.issuer });
    return [visitor, await visitor.get(`${callbackPath}?${query.toString()}`)];
  };
}

async function signIn(claims: Claims, subject: string = crypto.randomUUID()): Promise<[PortalVisitor, PageResponse]> {
  return (await depart(subject))(claims);
}

async function readMe(visitor: PortalVisitor) {
  const response = await visitor.send('GET', '/portal/api/me', { 'sec-fetch-site': 'same-origin' });
  const { tenants = [] } = JSON.parse(response.text) as { tenants?: { id: string; role: string }[] };
  return tenants.map(({ id, role }) => ({ id, role }));
}
const readTenant = async (visitor: PortalVisitor, tenant: { id: string }) =>
  (
    await visitor.send('GET', '/portal/api/tenants/self', {
      'sec-fetch-site': 'same-origin',
      'strongroom-tenant': tenant.id,
    })
  ).status;
const count = async (table: 'users' | 'members' | 'user_identities') =>
  (await database.owner.query<{ total: number }>(`select count(*)::integer as total from ${table}`)).rows[0]?.total;

describe('the first sign-in at the provider', () => {
  it('makes somebody of an allowed domain a member, with the highest role of their groups, and records it', async () => {
    const [auditor] = await signIn(claimsOf(newEmail(), ['staff', 'auditors']));
    expect(await readMe(auditor)).toEqual([{ id: acme.id, role: 'READ_ONLY' }]);
    const [admin] = await signIn(claimsOf(newEmail('ACME.org'), ['auditors', 'admins']));
    expect(await readMe(admin)).toEqual([{ id: acme.id, role: 'ADMIN' }]);
    const { rows } = await database.owner.query(
      `select actor_type, details::json from audit_records where entity_type = 'member' and operation = 'create' and actor_type = 'user'
        order by created_at desc limit 1`,
    );
    expect(rows).toMatchObject([{ details: { changes: ['role added: ADMIN'] } }]);
  });

  it('gives everybody the role of the group *', async () => {
    const [visitor] = await signIn({ email: newEmail('other.example'), email_verified: true });
    expect(await readMe(visitor)).toEqual([{ id: other.id, role: 'READ_ONLY' }]);
  });

  it.each<[string, Claims]>([
    ['an address that is not verified', { ...claimsOf(newEmail()), email_verified: false }],
    ['an address that is said to be verified in words', { ...claimsOf(newEmail()), email_verified: 'true' }],
    ['an address without the claim', { email: newEmail(), groups: ['admins'] }],
    ['no address', { email_verified: true, groups: ['admins'] }],
    ['a list of addresses', { ...claimsOf(''), email: [newEmail()] }],
    ['another domain', claimsOf(newEmail('evil.example'))],
    ['a domain below', claimsOf(newEmail('mail.acme.example'))],
    ['a domain that ends like it', claimsOf(newEmail('notacme.example'))],
    ['two addresses in one', claimsOf('ada@acme.example@evil.example')],
    ['a quoted address', claimsOf('"ada@evil.example"@acme.example')],
    ['no group', claimsOf(newEmail(), null)],
    ['no group with a role', claimsOf(newEmail(), ['staff', 'ADMINS', '__proto__', 'constructor'])],
    ['the group *', claimsOf(newEmail(), ['*'])],
    ['groups inside groups', claimsOf(newEmail(), [['admins'], { admins: true }])],
  ])('lets nobody in with %s', async (_, claims) => {
    const before = [await count('users'), await count('members'), await count('user_identities')];
    const [visitor, page] = await signIn(claims);
    expect([page.status, await readTenant(visitor, acme)]).toEqual([401, 401]);
    expect([await count('users'), await count('members'), await count('user_identities')]).toEqual(before);
  });

  it('lets nobody in as a user who exists', async () => {
    const email = newEmail();
    await new PortalVisitor(server.url).post((await inviteTo({ server }, acme, email)).path);
    const [visitor, page] = await signIn(claimsOf(email));
    expect([page.status, await readTenant(visitor, acme)]).toEqual([401, 401]);
    expect(page.text).toContain('There is already a user with your e-mail address');
  });

  it('creates one member if it happens twice at the same time', async () => {
    const email = newEmail();
    const subject = crypto.randomUUID();
    const back = await depart(subject);
    const [first] = await back(claimsOf(email));
    const [second] = await signIn(claimsOf(email), subject);
    expect([await readTenant(first, acme), await readTenant(second, acme)]).toEqual([200, 200]);
    const { rows } = await database.owner.query(
      'select from members m join users u on u.id = m.user_id where u.email = $1',
      [email],
    );
    expect(rows).toHaveLength(1);
  });

  it('creates one member if a user of another tenant signs in twice at the same time', async () => {
    const [email, subject] = [newEmail('careful.example'), crypto.randomUUID()];
    await signIn(claimsOf(email), subject);
    const { rows } = await database.owner.query<{ id: string }>('select id from users where email = $1', [email]);
    const userId = rows[0]?.id ?? '';
    // The tenant expects the domain only since a restart of the server, so the user is not a member yet.
    await database.owner.query('delete from members where user_id = $1', [userId]);
    await database.owner.query('delete from former_members where user_id = $1', [userId]);
    const joining = new ProviderJoining({
      database: server.core.database,
      rules: [
        { tenantId: parseTenantId(careful.id), domains: ['careful.example'], roles: new Map([['*', 'READ_ONLY']]) },
      ],
    });
    const person = { subject, verifiedEmail: parseEmailAddress(email), groups: [] };
    const origin = { requestId: 'twice', sourceAddress: '192.0.2.1' };
    await Promise.all(Array.from({ length: 5 }, () => joining.join(provider.issuer, person, origin)));
    const members = await database.owner.query('select from members where user_id = $1', [userId]);
    expect(members.rows).toHaveLength(1);
  });

  it('makes nobody an admin without approval where a second person has to approve admins', async () => {
    const [visitor] = await signIn(claimsOf(newEmail('careful.example'), ['admins']));
    expect(await readMe(visitor)).toEqual([{ id: careful.id, role: 'READ_ONLY' }]);
  });

  it('adds nobody to a deleted tenant', async () => {
    const [, page] = await signIn(claimsOf(newEmail('gone.example'), ['admins']));
    expect(page.status).toBe(401);
  });
});

describe('a later sign-in at the provider', () => {
  it('changes no role', async () => {
    const [email, subject] = [newEmail(), crypto.randomUUID()];
    await signIn(claimsOf(email, ['auditors']), subject);
    const [visitor] = await signIn(claimsOf(email, ['admins']), subject);
    expect(await readMe(visitor)).toEqual([{ id: acme.id, role: 'READ_ONLY' }]);
  });

  it('does not bring back somebody who was removed, but an invitation does', async () => {
    const [email, subject] = [newEmail(), crypto.randomUUID()];
    await signIn(claimsOf(email), subject);
    await database.owner.query('delete from members where user_id = (select id from users where email = $1)', [email]);
    const [visitor, page] = await signIn(claimsOf(email, ['admins']), subject);
    expect([page.status, await readMe(visitor)]).toEqual([200, []]);
    expect((await visitor.post((await inviteTo({ server }, acme, email)).path)).status).toBe(303);
    expect(await readMe(visitor)).toEqual([{ id: acme.id, role: 'ADMIN' }]);
  });

  it('does not bring back somebody who was removed, has disconnected the provider and has another address there', async () => {
    const [email, subject] = [newEmail(), crypto.randomUUID()];
    const [visitor] = await signIn(claimsOf(email), subject);
    await setPassword(visitor);
    const removal = { issuer: provider.issuer, confirmed: 'removal' };
    expect((await visitor.post('/portal/provider/remove', removal)).status).toBe(303);
    await database.owner.query('delete from members where user_id = (select id from users where email = $1)', [email]);
    const before = [await count('users'), await count('members'), await count('user_identities')];
    const [again, page] = await signIn(claimsOf(newEmail(), ['admins']), subject);
    expect([page.status, await readTenant(again, acme)]).toEqual([401, 401]);
    expect([await count('users'), await count('members'), await count('user_identities')]).toEqual(before);
  });
});

describe('a tenant that accepts only sign-ins at the provider', () => {
  const put = (visitor: PortalVisitor, value: string) =>
    visitor.send(
      'PUT',
      '/portal/api/tenants/self',
      { 'sec-fetch-site': 'same-origin', 'strongroom-tenant': other.id, 'content-type': 'application/json' },
      JSON.stringify({ name: 'Acme', settings: { require_openid: value } }),
    );

  it('is closed to links, passwords and passkeys, and open to the provider', async () => {
    const [owner] = await signIn({ email: newEmail('other.example'), email_verified: true });
    await database.owner.query(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'READ_ONLY'`, [
      other.id,
    ]);
    const { visitor: byPassword } = await signInProven({ server }, other);
    const refused = await put(byPassword, 'true');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('can be turned on only by a member who signed in at the provider');
    expect((await put(owner, 'true')).status).toBe(200);
    expect([await readTenant(byPassword, other), await readTenant(owner, other)]).toEqual([403, 200]);
    const byLink = new PortalVisitor(server.url);
    const links = new SignInLinks({ database: server.core.database, systemKeys: server.core.systemKeys });
    expect((await byLink.post(await links.make(parseTenantId(other.id), undefined))).status).toBe(303);
    expect(await readTenant(byLink, other)).toBe(403);
    // Their own account stays open to them, where they connect the provider, and approvals of the tenant do not.
    const account = await byPassword.get('/portal/account');
    expect(account.text).toContain('can only be used after signing in with single sign-on');
    expect((await byPassword.get('/portal/exports')).status).toBe(303);
    await turn(other, 'require_openid', false);
    expect(await readTenant(byPassword, other)).toBe(200);
  });
});
