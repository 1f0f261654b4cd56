import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../../../test/harness/portal-people.ts';
import type { PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { type Role, rolePermissions } from '../../members/index.ts';
import { tenantHeader } from './member-session-routes.ts';

const ownPage = { 'sec-fetch-site': 'same-origin' };

let vault: TestVault;
let tenant: TestTenant;
const visitors = {} as Record<Role, PortalVisitor>;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (const role of ['OWNER', 'ADMIN', 'READ_ONLY'] as const) visitors[role] = await signIn(role);
});
afterAll(() => vault.stop());

async function signIn(role: Role, of = tenant): Promise<PortalVisitor> {
  const { visitor, email } = await welcome(vault, of);
  // The owner of a tenant that was not bootstrapped has no e-mail address and no sign-in method.
  if (role === 'OWNER')
    await ownerSql(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'OWNER'`, of.id);
  await ownerSql(
    'update members set role = $3 where tenant_id = $1 and user_id = (select id from users where email = $2)',
    of.id,
    email,
    role,
  );
  return visitor;
}

function ownerSql(text: string, ...values: string[]): Promise<unknown> {
  return vault.database.owner.query(text, values);
}

const get = (visitor: PortalVisitor, path: string) => visitor.send('GET', path, ownPage);

describe('what members may do', () => {
  it('does not include taking the tenant from its owner', async () => {
    const members = await visitors.ADMIN.send('GET', '/portal/api/tenants/self/members', ownPage);
    const admin = (JSON.parse(members.text) as { data: { id: string; role: string }[] }).data.find(
      ({ role }) => role === 'ADMIN',
    );
    const promote = (by: PortalVisitor) =>
      by.send(
        'PUT',
        `/portal/api/tenants/self/members/${admin?.id}`,
        { ...ownPage, 'content-type': 'application/json' },
        '{"role":"OWNER"}',
      );
    expect((await promote(visitors.ADMIN)).status).toBe(403);
    expect((await promote(visitors.OWNER)).status).toBe(200);
  });
});

describe('what members see', () => {
  it('is masked, and recorded as seen by the user', async () => {
    const body = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 } };
    const created = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    const { id } = created.body as { id: string };
    const seen = await visitors.READ_ONLY.send('GET', `/portal/api/tokens/${id}`, ownPage);
    expect(JSON.parse(seen.text)).toMatchObject({ id, data: { number: 'XXXXXXXXXXXX4242' } });
    expect(seen.text).not.toContain('4242424242424242');
    expect(seen.headers.get('access-control-allow-origin')).toBeNull();
    const records = await recordsOf(vault, tenant, id);
    expect(records.at(-1)).toMatchObject({ operation: 'read', actor_type: 'user', transform: 'mask' });
  });

  it('is reported like what keys see: tokens, misses and denied attempts', async () => {
    const own = await vault.makeTenant();
    const visitor = await signIn('READ_ONLY', own);
    const { user } = JSON.parse((await visitor.send('GET', '/portal/api/me', ownPage)).text) as {
      user: { id: string };
    };
    const body = { type: 'token', data: 'secret', mask: '{{ data | reveal_last: 2 }}' };
    const { id } = (await vault.request('POST', '/tokens', { key: own.keys.private, body })).body as { id: string };
    await visitor.send('GET', `/portal/api/tokens/${id}`, ownPage);
    await visitor.send('GET', '/portal/api/tokens', ownPage);
    expect((await visitor.send('GET', '/portal/api/tokens/nothing', ownPage)).status).toBe(404);
    expect((await visitor.send('DELETE', `/portal/api/tokens/${id}`, ownPage)).status).toBe(403);
    const ask = (path: string) => vault.request('GET', path, { key: own.keys.management });
    expect((await ask(`/logs/exposure?user_id=${user.id}`)).body).toMatchObject({
      tokens_seen: { reveal: 0, mask: 1, redact: 0 },
      tokens: [{ token_id: id, transform: 'mask', count: 2 }],
      misses: [{ entity_type: 'token', operation: 'read', missing: 1 }],
      denied: [{ entity_type: 'token', operation: 'delete', count: 1 }],
    });
    const { viewers } = (await ask(`/logs/viewers?token_id=${id}`)).body as { viewers: { actor_type: string }[] };
    expect(viewers.find(({ actor_type }) => actor_type === 'user')).toMatchObject({
      actor_id: user.id,
      transform: 'mask',
    });
    const who = await vault.request('POST', '/access/who', { key: own.keys.management, body: { token_id: id } });
    const { members } = who.body as { members: { user_id: string }[] };
    expect(members.find(({ user_id }) => user_id === user.id)).toMatchObject({ role: 'READ_ONLY', transform: 'mask' });
  });

  it('is of the tenant that they name, if they belong to it', async () => {
    const other = await vault.makeTenant();
    const named = (id: string) =>
      visitors.READ_ONLY.send('GET', '/portal/api/tenants/self', { ...ownPage, [tenantHeader]: id });
    expect(JSON.parse((await named(tenant.id)).text)).toMatchObject({ id: tenant.id });
    expect((await named(other.id)).status).toBe(404);
    expect((await named('x')).status).toBe(404);
    const userIds = `select user_id from members where tenant_id = $1 and role = 'READ_ONLY'`;
    await ownerSql(
      `insert into members (tenant_id, id, user_id, role) select $2, gen_random_uuid(), user_id, 'READ_ONLY'
        from (${userIds}) known`,
      tenant.id,
      other.id,
    );
    expect(JSON.parse((await named(other.id)).text)).toMatchObject({ id: other.id });
    const unnamed = await visitors.READ_ONLY.send('GET', '/portal/api/tenants/self', ownPage);
    expect(unnamed.status).toBe(400);
  });
});

interface Me {
  readonly signed_in_at: string;
  readonly fresh_until: string;
  readonly tenants: readonly { readonly id: string; readonly role: string }[];
}

describe('what members learn about themselves', () => {
  const me = async (visitor: PortalVisitor) => {
    const { status, text } = await get(visitor, '/portal/api/me');
    return { status, body: JSON.parse(text) as Me };
  };

  it('is who they are, where, and what their role permits', async () => {
    const own = await vault.makeTenant();
    const { visitor, email } = await welcome(vault, own);
    const { status, body } = await me(visitor);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id: expect.any(String), email },
      signed_in_at: expect.any(String),
      mails_invitations: false,
      alert_thresholds: { window_minutes: 10, misses: 100, reveals: 1_000, addresses: 20 },
      is_development: false,
      is_fresh: true,
      fresh_until: expect.any(String),
      tenants: [{ id: own.id, name: 'Test', role: 'ADMIN', needs_sign_in_way: false, needs_provider: false }],
      role_permissions: rolePermissions,
      tenant_header: tenantHeader,
    });
    expect(Date.parse(body.fresh_until) - Date.parse(body.signed_in_at)).toBe(15 * 60_000);
    await ownerSql(
      `update user_sessions set created_at = now() - interval '16 minutes' where user_id in
        (select id from users where email = $1)`,
      email,
    );
    const stale = await me(visitor);
    expect(stale.body).toMatchObject({ is_fresh: false });
    expect(stale.body).not.toHaveProperty('fresh_until');
  });

  it('needs no tenant to be named by somebody who belongs to several', async () => {
    const [first, second] = [await vault.makeTenant(), await vault.makeTenant()];
    const { visitor, email } = await welcome(vault, first);
    await ownerSql(
      `insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'READ_ONLY' from users where email = $2`,
      second.id,
      email,
    );
    expect((await get(visitor, '/portal/api/logs')).status).toBe(400);
    const { status, body } = await me(visitor);
    expect(status).toBe(200);
    const roles = body.tenants.map(({ id, role }) => `${id} ${role}`);
    expect(roles.toSorted()).toEqual([`${first.id} ADMIN`, `${second.id} READ_ONLY`].toSorted());
  });

  it('is not part of the description of the API', async () => {
    const { body } = await vault.request('GET', '/openapi.json', {});
    expect(JSON.stringify(body)).not.toContain('/portal/api/me');
  });
});
