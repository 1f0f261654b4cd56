import { at } from './derived-matrix-rows.ts';
import type { MatrixRoute } from './permission-matrix.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Returns the routes of members and invitations. Each needs a person of its own. */
export function peopleRoutes(vault: TestVault): readonly MatrixRoute[] {
  const onMember = (body?: unknown) => async (of: TestTenant) => {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `with made as (insert into users (id) values (gen_random_uuid()) returning id)
        insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from made returning id`,
      [of.id],
    );
    return { path: `/tenants/self/members/${rows[0]?.id}`, ...(body === undefined ? {} : { body }) };
  };
  const invited = () => ({ email: `${crypto.randomUUID()}@example.com` });
  const onInvitation =
    (suffix = '') =>
    async (of: TestTenant) => {
      // A tenant can have only a limited number of invitations.
      await vault.database.owner.query('delete from invitations where tenant_id = $1', [of.id]);
      const answer = await vault.request('POST', '/tenants/self/invitations', {
        key: of.keys.management,
        body: invited(),
      });
      return { path: `/tenants/self/invitations/${(answer.body as { id: string }).id}${suffix}` };
    };

  return [
    {
      method: 'GET',
      path: '/tenants/self/members',
      needs: 'tenant:member:read',
      status: 200,
      scope: 'plain',
      prepare: at('/tenants/self/members?size=1'),
    },
    {
      method: 'PUT',
      path: '/tenants/self/members/{id}',
      needs: 'tenant:member:update',
      status: 200,
      scope: 'plain',
      prepare: onMember({ role: 'READ_ONLY' }),
    },
    {
      method: 'DELETE',
      path: '/tenants/self/members/{id}',
      needs: 'tenant:member:delete',
      status: 204,
      scope: 'plain',
      prepare: onMember(),
    },
    {
      method: 'POST',
      path: '/tenants/self/invitations',
      needs: 'tenant:invitation:create',
      status: 201,
      scope: 'plain',
      prepare: async () => ({ path: '/tenants/self/invitations', body: invited() }),
    },
    {
      method: 'GET',
      path: '/tenants/self/invitations',
      needs: 'tenant:invitation:read',
      status: 200,
      scope: 'plain',
      prepare: at('/tenants/self/invitations?size=1'),
    },
    {
      method: 'GET',
      path: '/tenants/self/invitations/{id}',
      needs: 'tenant:invitation:read',
      status: 200,
      scope: 'plain',
      prepare: onInvitation(),
    },
    {
      method: 'DELETE',
      path: '/tenants/self/invitations/{id}',
      needs: 'tenant:invitation:delete',
      status: 204,
      scope: 'plain',
      prepare: onInvitation(),
    },
    {
      method: 'POST',
      path: '/tenants/self/invitations/{id}/resend',
      needs: 'tenant:invitation:update',
      alsoNeeds: 'tenant:invitation:create',
      status: 200,
      scope: 'plain',
      prepare: onInvitation('/resend'),
    },
  ];
}
