import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { callbackPath, SignInLinks } from '../../src/features/portal/index.ts';
import { readServerConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { CarelessOpenidServer } from '../harness/careless-openid-server.ts';
import { inviteTo, setPassword, signInProven, welcome } from '../harness/portal-people.ts';
import { type PageResponse, PortalVisitor } from '../harness/portal-visitor.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { cheapHasher } from '../harness/test-vault.ts';

/**
 * A browser returns from a provider without the session cookie, so the vault has to check the session itself. A session
 * that began with a link may connect a provider only for a user without a sign-in method, and only as long as the user
 * has none.
 */
let database: TestDatabase;
let server: VaultServer;
let provider: CarelessOpenidServer;
let tenant: { id: string };
let plain: { id: string };

beforeAll(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), CarelessOpenidServer.start()]);
  const port = await findFreePort();
  const config = readServerConfig({
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_DATABASE_CONNECTIONS: '4',
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_RATE_LIMITS: 'off',
    STRONGROOM_OPENID_ISSUER: provider.issuer,
    STRONGROOM_OPENID_CLIENT_ID: 'strongroom',
    STRONGROOM_OPENID_CLIENT_SECRET: 'between the two',
  });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  server = await VaultServer.start(config, silent, { passwordHasher: cheapHasher() });
  const make = async (type: 'test' | 'production') => ({
    id: (await server.core.tenantMaker.make({ name: 'Acme', type, ownerEmail: null, applications: [] })).tenantId,
  });
  [tenant, plain] = [await make('production'), await make('test')];
});
afterAll(async () => {
  await server.stop();
  await Promise.all([provider.stop(), database.drop()]);
});

const readTenant = async (visitor: PortalVisitor) =>
  (
    await visitor.send('GET', '/portal/api/tenants/self', {
      'sec-fetch-site': 'same-origin',
      'strongroom-tenant': tenant.id,
    })
  ).status;

function comeBack(visitor: PortalVisitor, page: PageResponse, subject: string): Promise<PageResponse> {
  const [, url = ''] = /<a href="([^"]+)"/.exec(page.text) ?? [];
  const { searchParams } = new URL(url.replaceAll('&amp;', '&'));
  provider.subject = subject;
  provider.nonce = searchParams.get('nonce') ?? '';
  provider.claims = { auth_time: Math.floor(Date.now() / 1_000) };
  const query = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '', iss: provider.issuer });
  return visitor.get(`${callbackPath}?${query.toString()}`);
}

const countIdentities = async (email: string) =>
  (
    await database.owner.query('select from user_identities i join users u on u.id = i.user_id where u.email = $1', [
      email,
    ])
  ).rows.length;

describe('a session begun by a link that connects a provider', () => {
  it('ends with that, and its user signs in at the provider', async () => {
    const { visitor, email } = await welcome({ server }, tenant);
    const back = await comeBack(visitor, await visitor.post('/portal/provider'), email);
    expect([back.status, back.text.includes('/portal/sign-in?ready=true')]).toEqual([200, true]);
    expect(await readTenant(visitor)).toBe(401);
    const again = new PortalVisitor(server.url);
    await comeBack(again, await again.post('/portal/sign-in/provider'), email);
    expect(await readTenant(again)).toBe(200);
  });

  it('connects none if its user has set a password meanwhile', async () => {
    const { visitor, email } = await welcome({ server }, tenant);
    const departure = await visitor.post('/portal/provider');
    await setPassword(visitor);
    expect((await comeBack(visitor, departure, email)).status).toBe(401);
    expect(await countIdentities(email)).toBe(0);
  });

  it('connects none if its user has got another way meanwhile that left the session alone', async () => {
    const { visitor, email } = await welcome({ server }, tenant);
    const departure = await visitor.post('/portal/provider');
    await database.owner.query(
      `insert into user_passkeys (user_id, id, public_key, sign_count, transports) select id, $2, '', 0, '{}' from users where email = $1`,
      [email, Buffer.from(email)],
    );
    expect((await comeBack(visitor, departure, email)).status).toBe(403);
    expect(await countIdentities(email)).toBe(0);
  });

  it.each(['last_seen_at', 'created_at'])('connects none once the session has ended by %s', async (column) => {
    const { visitor, email } = await welcome({ server }, tenant);
    const departure = await visitor.post('/portal/provider');
    await database.owner.query(
      `update user_sessions set ${column} = now() - interval '13 hours' where user_id = (select id from users where email = $1)`,
      [email],
    );
    expect((await comeBack(visitor, departure, email)).status).toBe(401);
    expect(await countIdentities(email)).toBe(0);
  });
});

/**
 * Previously, a link of a test tenant could connect a provider in addition to the sign-in methods that its user already
 * had. The same account later gives access to a production tenant, and its user does not notice.
 */
describe('a link of a test tenant that somebody else has followed', () => {
  it('opens no production tenant that its user joins later', async () => {
    const { visitor: victim, email } = await signInProven({ server }, plain);
    const { rows } = await database.owner.query<{ id: string }>(
      'select m.id from members m join users u on u.id = m.user_id where u.email = $1',
      [email],
    );
    const { database: db, systemKeys } = server.core;
    const links = new SignInLinks({ database: db, systemKeys });
    const thief = new PortalVisitor(server.url);
    expect((await thief.post(await links.make(parseTenantId(plain.id), rows[0]?.id))).status).toBe(303);
    expect((await thief.post('/portal/provider')).status).toBe(403);
    expect((await victim.post((await inviteTo({ server }, tenant, email)).path)).status).toBe(303);
    const mallory = new PortalVisitor(server.url);
    await comeBack(mallory, await mallory.post('/portal/sign-in/provider'), 'mallory');
    expect([await readTenant(mallory), await countIdentities(email)]).toEqual([401, 0]);
    expect([await readTenant(victim), await readTenant(thief)]).toEqual([200, 403]);
  });

  it('connects no provider if its user has got a way since it departed', async () => {
    const { visitor: thief, email } = await welcome({ server }, plain);
    const departure = await thief.post('/portal/provider');
    await database.owner.query(
      `insert into user_passkeys (user_id, id, public_key, sign_count, transports) select id, $2, '', 0, '{}' from users where email = $1`,
      [email, Buffer.from(email)],
    );
    expect((await comeBack(thief, departure, 'mallory')).status).toBe(403);
    expect(await countIdentities(email)).toBe(0);
  });
});
