import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inviteTo, welcome } from '../../../test/harness/portal-people.ts';
import type { PortalVisitor } from '../../../test/harness/portal-visitor.ts';
import { recordsOf } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseEmailAddress } from '../../core/identity/email-address.ts';

const ownPage = { 'sec-fetch-site': 'same-origin' };
let vault: TestVault;
let tenant: TestTenant;
let admin: PortalVisitor;
let email: string;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  ({ visitor: admin, email } = await welcome(vault, tenant));
});
afterAll(() => vault.stop());

const pathOf = (id: string) => `/portal/api/tenants/self/invitations/${id}/link`;
async function ask(id: string, visitor = admin): Promise<{ status: number; text: string }> {
  const { status, text } = await visitor.send('POST', pathOf(id), ownPage);
  return { status, text };
}
const change = (text: string, ...values: string[]) => vault.database.owner.query(text, values);
const linksShown = async (id: string) =>
  (await recordsOf(vault, tenant, id)).filter(
    ({ operation, outcome }) => operation === 'issue_link' && outcome === 'success',
  );

describe('POST /portal/api/tenants/self/invitations/{id}/link', () => {
  it('200 shows the link, which lets somebody in, and records who saw it', async () => {
    const { id, path } = await inviteTo(vault, tenant);
    const shownBefore = (await linksShown(id)).length;
    const { status, text } = await ask(id);
    expect([status, JSON.parse(text)]).toEqual([200, { link: `http://localhost${path}` }]);
    const records = (await linksShown(id)).slice(shownBefore);
    expect(records).toMatchObject([{ entity_type: 'invitation', actor_type: 'user' }]);
    expect(JSON.stringify(records)).not.toContain(path.split('/').at(-1));
    expect(JSON.stringify(vault.logLines)).not.toContain(path.split('/').at(-1));
  });

  it('401 for nobody, and 404 for a key, which the API does not offer it to', async () => {
    const { id } = await inviteTo(vault, tenant);
    admin.cookies.clear();
    expect((await ask(id)).status).toBe(401);
    const answer = await vault.request('POST', `/tenants/self/invitations/${id}/link`, { key: tenant.keys.management });
    expect(answer.status).toBe(404);
  });

  it('403 for a page of another site, for an auditor, and after an old sign-in', async () => {
    const { id } = await inviteTo(vault, tenant);
    expect((await admin.send('POST', pathOf(id), { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const theirs = 'user_id = (select id from users where email = $1)';
    await change(`update user_sessions set created_at = now() - interval '16 minutes' where ${theirs}`, email);
    expect((await ask(id)).text).toContain('sign-in-too-old');
    await change(`update user_sessions set created_at = now() where ${theirs}`, email);
    await change(`update members set role = 'READ_ONLY' where ${theirs}`, email);
    expect((await ask(id)).status).toBe(403);
    expect((await linksShown(id)).filter(({ actor_type: by }) => by === 'user')).toEqual([]);
  });

  it('403 where approvals are required, so that nobody becomes their own second person', async () => {
    const { id } = await inviteTo(vault, tenant);
    await change(`update tenants set settings = '{"approve_plaintext":"true"}' where id = $1`, tenant.id);
    expect(await ask(id)).toMatchObject({ status: 403, text: expect.stringContaining('an operator of the vault') });
  });

  it('403 in a vault that mails invitations', async () => {
    const mailing = await TestVault.start(undefined, { mailFrom: parseEmailAddress('vault@example.com') });
    const other = await mailing.makeTenant();
    const { visitor } = await welcome(mailing, other);
    const { id } = await inviteTo(mailing, other);
    expect(await ask(id, visitor)).toMatchObject({ status: 403, text: expect.stringContaining('mails invitations') });
    await mailing.stop();
  });

  it('404 for an invitation of another tenant, one that has expired, and one that was mailed', async () => {
    const foreign = await inviteTo(vault, await vault.makeTenant());
    const expired = await inviteTo(vault, tenant);
    await change('update invitations set expires_at = now() where id = $1', expired.id);
    const mailed = await inviteTo(vault, tenant);
    await change('update invitations set link_sealed = null where id = $1', mailed.id);
    for (const { id } of [foreign, expired, mailed, { id: 'x' }]) expect((await ask(id)).status).toBe(404);
  });
});
