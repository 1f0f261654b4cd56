import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExportFolder } from '../../../test/harness/export-run.ts';
import { codeOf, goodPassword, setPassword, signInProven, welcome } from '../../../test/harness/portal-people.ts';
import { fieldIn, PortalVisitor } from '../../../test/harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { MemberStore, type Role } from '../members/index.ts';

let vault: TestVault;
let tenant: TestTenant;
let folder: ExportFolder;
let first: { visitor: PortalVisitor; email: string };
let second: { visitor: PortalVisitor; email: string };
beforeAll(async () => {
  vault = await TestVault.start();
  folder = await ExportFolder.make();
  tenant = await vault.makeTenant('production');
  first = await signInProven(vault, tenant);
  second = await signInProven(vault, tenant);
  const body = { id: 'leaving', type: 'token', data: 'x' };
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

const decide = (visitor: PortalVisitor, verb: 'approve' | 'refuse', id: string, tenantId = tenant.id) =>
  visitor.post(`/portal/exports/${verb}`, { tenant: tenantId, export: id });
let files = 0;
const run = (id: string) => {
  files += 1;
  return folder.run(vault, tenant, id, folder.path(`${files}.age`));
};
const recordsOf = async (id: string) =>
  (await vault.auditRecords(tenant.id))
    .filter((record) => record['entity_id'] === id)
    .map(({ operation, outcome, actor_type }) => [operation, outcome, 'by', actor_type].join(' '));
const setRole = (email: string, role: string) =>
  vault.database.owner.query(
    `update members set role = $2 from users where users.id = members.user_id and users.email = $1`,
    [email, role],
  );
/** Changes a role in the same way as the API. */
const changeRole = async (email: string, role: Role) => {
  const { rows } = await vault.database.owner.query<{ id: string }>(
    'select m.id from members m join users u on u.id = m.user_id where u.email = $1',
    [email],
  );
  const tenantId = parseTenantId(tenant.id);
  await vault.server.core.database.forTenant(tenantId, (tx) =>
    new MemberStore(tx, tenantId).updateRole(rows[0]?.id ?? '', role, null),
  );
};

describe('in a production tenant, an export', () => {
  it('runs once two different people have approved it, and everything is recorded', async () => {
    const { id, approvalsNeeded } = await folder.request(vault, tenant);
    expect(approvalsNeeded).toBe(2);
    await expect(run(id)).rejects.toThrow('This export has 0 of 2 approvals.');
    expect((await decide(first.visitor, 'approve', id)).status).toBe(303);
    await expect(run(id)).rejects.toThrow('This export has 1 of 2 approvals.');
    expect((await decide(second.visitor, 'approve', id)).status).toBe(303);
    expect(await run(id)).toMatchObject({ tokens: 1 });
    expect(await recordsOf(id)).toEqual([
      'request success by system',
      'run denied by system',
      'approve success by user',
      'run denied by system',
      'approve success by user',
      'run intent by system',
      'run success by system',
    ]);
  });

  it('shows who decides what will leave, for whom, who asked, and until when', async () => {
    const { id, expiresAt } = await folder.request(vault, tenant);
    const page = await first.visitor.get('/portal/exports');
    for (const text of [id, folder.age.text, 'operator@machine', expiresAt.toISOString(), '1 at present', '0 of 2']) {
      expect(page.text).toContain(text);
    }
    expect(fieldIn(page, 'export')).toBe(id);
    expect((await first.visitor.get('/portal/account')).text).toContain('href="/portal/exports"');
  });

  it('does not take one person for two, also not at once', async () => {
    const { id } = await folder.request(vault, tenant);
    const answers = await Promise.all(Array.from({ length: 4 }, () => decide(first.visitor, 'approve', id)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.text).toContain('Another member must approve it too');
    await expect(run(id)).rejects.toThrow('1 of 2 approvals');
    expect((await recordsOf(id)).filter((record) => record.startsWith('approve'))).toHaveLength(1);
  });

  it('is not approved by somebody who came in with a link', async () => {
    const newcomer = await welcome(vault, tenant);
    const { id } = await folder.request(vault, tenant);
    const answer = await decide(newcomer.visitor, 'approve', id);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('A link is not enough');
    expect((await decide(newcomer.visitor, 'refuse', id)).status).toBe(403);
  });

  it('is not approved by a session that is not fresh', async () => {
    const { id } = await folder.request(vault, tenant);
    await vault.database.owner.query(`update user_sessions set created_at = created_at - interval '16 minutes'`);
    try {
      expect((await decide(first.visitor, 'approve', id)).status).toBe(403);
    } finally {
      await vault.database.owner.query(`update user_sessions set created_at = created_at + interval '16 minutes'`);
    }
  });

  it('is not approved by anyone who became a member after it was asked for', async () => {
    const late = await signInProven(vault, tenant);
    const { id } = await folder.request(vault, tenant);
    await vault.database.owner.query(
      'update members set created_at = now() from users where users.id = members.user_id and users.email = $1',
      [late.email],
    );
    const answer = await decide(late.visitor, 'approve', id);
    expect([answer.status, answer.text.includes('already owners or admins when')]).toEqual([403, true]);
  });

  it('is not approved with a way to sign in that was set up after it was asked for', async () => {
    const member = await welcome(vault, tenant);
    const { id } = await folder.request(vault, tenant);
    const secret = await setPassword(member.visitor);
    const visitor = new PortalVisitor(vault.server.url);
    const given = { email: member.email, password: goodPassword, code: codeOf(secret, 1) };
    expect((await visitor.post('/portal/sign-in', given)).status).toBe(303);
    const answer = await decide(visitor, 'approve', id);
    expect([answer.status, answer.text.includes('Sign in with an older method')]).toEqual([403, true]);
    await expect(run(id)).rejects.toThrow('0 of 2 approvals');
    const { id: later } = await folder.request(vault, tenant);
    expect((await decide(visitor, 'approve', later)).status).toBe(303);
  });

  it('is not approved by anyone who got the role after it was asked for, who may still refuse it', async () => {
    const member = await signInProven(vault, tenant);
    await changeRole(member.email, 'READ_ONLY');
    const { id } = await folder.request(vault, tenant);
    await changeRole(member.email, 'ADMIN');
    const answer = await decide(member.visitor, 'approve', id);
    expect([answer.status, answer.text.includes('already owners or admins when')]).toEqual([403, true]);
    expect((await decide(member.visitor, 'refuse', id)).status).toBe(303);
  });

  it('shows since when those who have approved are members', async () => {
    const { id } = await folder.request(vault, tenant);
    expect((await decide(first.visitor, 'approve', id)).status).toBe(303);
    const { rows } = await vault.database.owner.query<{ created_at: Date }>(
      'select m.created_at from members m join users u on u.id = m.user_id where u.email = $1',
      [first.email],
    );
    const since = rows[0]?.created_at.toISOString() ?? 'nobody';
    expect((await second.visitor.get('/portal/exports')).text).toContain(`${first.email} (member since ${since})`);
  });

  it('is not approved, nor shown, to members who only read, and an approval ends with the role', async () => {
    const { id } = await folder.request(vault, tenant);
    await setRole(second.email, 'READ_ONLY');
    try {
      expect((await decide(second.visitor, 'approve', id)).status).toBe(404);
      expect((await second.visitor.get('/portal/exports')).text).not.toContain(id);
    } finally {
      await setRole(second.email, 'ADMIN');
    }
    expect((await decide(first.visitor, 'approve', id)).status).toBe(303);
    expect((await decide(second.visitor, 'approve', id)).status).toBe(303);
    await setRole(second.email, 'READ_ONLY');
    try {
      await expect(run(id)).rejects.toThrow('1 of 2 approvals');
    } finally {
      await setRole(second.email, 'ADMIN');
    }
  });

  it('is over once somebody has refused it, whatever comes after', async () => {
    const { id } = await folder.request(vault, tenant);
    expect((await decide(first.visitor, 'approve', id)).status).toBe(303);
    expect((await decide(second.visitor, 'refuse', id)).status).toBe(303);
    expect((await decide(second.visitor, 'approve', id)).status).toBe(403);
    await expect(run(id)).rejects.toThrow('This export was refused');
    expect(await recordsOf(id)).toContain('refuse success by user');
  });

  it('is over after a day', async () => {
    const { id } = await folder.request(vault, tenant);
    await decide(first.visitor, 'approve', id);
    await decide(second.visitor, 'approve', id);
    await vault.database.owner.query(`update token_exports set expires_at = now() where id = $1`, [id]);
    await expect(run(id)).rejects.toThrow('This export has expired');
    expect((await decide(first.visitor, 'refuse', id)).status).toBe(403);
  });

  it('is decided by pages of the vault only, and by anyone who is signed in', async () => {
    const { id } = await folder.request(vault, tenant);
    const form = { tenant: tenant.id, export: id };
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await first.visitor.post('/portal/exports/approve', form, crossSite)).status).toBe(403);
    const stranger = first.visitor.at(vault.server.url);
    stranger.cookies.clear();
    expect((await decide(stranger, 'approve', id)).location).toBe('/portal/sign-in');
  });

  it('is not that of a tenant to which somebody does not belong', async () => {
    const other = await vault.makeTenant('production');
    const { id } = await folder.request(vault, other);
    const nobodys = await decide(first.visitor, 'approve', crypto.randomUUID(), other.id);
    const answer = await decide(first.visitor, 'approve', id, other.id);
    const withoutTrace = (text: string) => text.replace(/<code>[0-9a-f-]{36}<\/code>/, '');
    expect([answer.status, withoutTrace(answer.text)]).toEqual([404, withoutTrace(nobodys.text)]);
    expect((await decide(first.visitor, 'approve', id)).status).toBe(404);
    expect((await first.visitor.get('/portal/exports')).text).not.toContain(id);
  });
});
