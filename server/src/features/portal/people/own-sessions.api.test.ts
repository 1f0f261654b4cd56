import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  goodPassword,
  inviteTo,
  setPasswordWithCodes,
  welcome,
  welcomeProven,
} from '../../../../test/harness/portal-people.ts';
import { PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { VaultServer } from '../../../app/serve/vault-server.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { SignInLinks } from '../index.ts';

const end = '/portal/account/sessions/end';
const endAll = '/portal/account/sessions/end-all';
const ownPage = { 'sec-fetch-site': 'same-origin' };
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const hostile = '<script>alert(1)</script> Chrome/1 "Windows"';

let vault: TestVault;
let another: VaultServer;
let tenant: TestTenant;
let first: PortalVisitor;
let email: string;
let codes: string[];
beforeAll(async () => {
  vault = await TestVault.start();
  another = await vault.startAnother();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  ({ visitor: first, email } = await welcomeProven(vault, tenant));
  ({ codes } = await setPasswordWithCodes(first));
});
afterAll(() => vault.stop());

async function signIn(userAgent: string): Promise<PortalVisitor> {
  const visitor = new PortalVisitor(vault.server.url);
  const form = { email, password: goodPassword, code: codes.pop() ?? '' };
  const answer = await visitor.post('/portal/sign-in', form, { ...ownPage, 'user-agent': userAgent });
  expect(answer.status).toBe(303);
  return visitor;
}

/** Returns the ids of the other sessions that the account page offers to end. */
async function listed(visitor: PortalVisitor): Promise<string[]> {
  const { text } = await visitor.get('/portal/account');
  const forms = text.matchAll(
    /action="\/portal\/account\/sessions\/end">\s*<input type="hidden" name="id" value="([^"]+)"/g,
  );
  return [...forms].map(([, id = '']) => id);
}
const signOuts = async (of: TestTenant) =>
  (await vault.auditRecords(of.id)).filter(({ operation }) => operation === 'sign_out');

describe('the sessions of a user', () => {
  it('say which browser, from where and since when, and nothing that a browser made up', async () => {
    await signIn(firefox);
    await signIn(hostile);
    const { text } = await first.get('/portal/account');
    for (const shown of ['Firefox on Linux', 'Chrome on Windows', 'Unknown browser, this browser', '127.0.0.1, since'])
      expect(text).toContain(shown);
    expect(text).not.toContain('alert(1)');
    expect(await listed(first)).toHaveLength(2);
    const { rows } = await vault.database.owner.query('select browser from user_sessions');
    expect(JSON.stringify(rows)).not.toContain('script');
  });

  it('end one at a time, on every server, with a record in each tenant of the user', async () => {
    const elsewhere = await vault.makeTenant();
    const { path } = await inviteTo(vault, elsewhere, email);
    expect((await first.post(path)).status).toBe(303);
    const second = await signIn(firefox);
    const [id = ''] = await listed(first);
    expect((await first.post(end, { id })).location).toBe('/portal/account');
    expect(await second.at(another.url).isSignedIn()).toBe(false);
    expect(await first.isSignedIn()).toBe(true);
    for (const one of [tenant, elsewhere])
      expect(await signOuts(one)).toMatchObject([{ entity_type: 'session', entity_id: id, actor_type: 'user' }]);
    expect(await listed(first)).toEqual([]);
  });

  it('end everywhere, with the sign-in link that somebody else may have', async () => {
    const second = await signIn(firefox);
    const { rows } = await vault.database.owner.query<{ id: string }>(
      'select m.id from members m join users u on u.id = m.user_id where u.email = $1',
      [email],
    );
    const link = await new SignInLinks(vault.server.core).make(parseTenantId(tenant.id), rows[0]?.id);
    const answer = await second.post(endAll);
    expect([answer.status, answer.location]).toEqual([303, '/portal/sign-in']);
    expect(second.cookies.size).toBe(0);
    for (const one of [first, second]) expect(await one.isSignedIn()).toBe(false);
    expect((await new PortalVisitor(vault.server.url).post(link)).status).toBe(404);
    expect(await signOuts(tenant)).toHaveLength(2);
    expect(await (await signIn(firefox)).isSignedIn()).toBe(true);
  });
});

describe('nobody signs out a user', () => {
  it('who is another one', async () => {
    const { visitor: attacker } = await welcomeProven(vault, tenant);
    await signIn(firefox);
    const [id = ''] = await listed(first);
    expect(await listed(attacker)).toEqual([]);
    for (const wanted of [id, id.toUpperCase(), '', 'x', '%', `${id}' or true`])
      expect((await attacker.post(end, { id: wanted })).status).toBe(303);
    expect((await attacker.post(endAll)).status).toBe(303);
    expect(await listed(first)).toEqual([id]);
    expect(await signOuts(tenant)).toHaveLength(1);
  });

  it('with a link alone', async () => {
    const { visitor: newcomer, email: theirs } = await welcome(vault, tenant);
    await vault.database.owner.query(
      `insert into user_sessions (id, user_id, secret_hash, proven_since)
        select gen_random_uuid(), id, sha256('x'::bytea || id::text::bytea), now() from users where email = $1`,
      [theirs],
    );
    for (const path of [end, endAll]) expect((await newcomer.post(path)).status).toBe(403);
    const left = await vault.database.owner.query(
      'select from user_sessions s join users u on u.id = s.user_id where u.email = $1',
      [theirs],
    );
    expect(left.rowCount).toBe(2);
    expect((await newcomer.get('/portal/account')).text).not.toContain('Sign out everywhere');
  });

  it.each([end, endAll])('from another site, or by opening a link to %s', async (path) => {
    await signIn(firefox);
    const [id = ''] = await listed(first);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
      expect((await first.post(path, { id }, headers as Record<string, string>)).status).toBe(403);
    expect((await first.get(`${path}?id=${id}`)).status).toBe(405);
    expect((await new PortalVisitor(vault.server.url).post(path, { id })).location).toBe('/portal/sign-in');
    expect(await listed(first)).toEqual([id]);
  });
});
