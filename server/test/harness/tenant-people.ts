import type { MemberRole } from '../../src/core/identity/caller.ts';
import { welcome } from './portal-people.ts';
import type { PortalVisitor } from './portal-visitor.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** A signed-in member, with the ids that others know. */
export interface TenantPerson {
  readonly visitor: PortalVisitor;
  readonly userId: string;
  readonly memberId: string;
}

export interface PortalResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Signs in a new member with this role. A new owner makes the previous one an admin. */
export async function signInAs(vault: TestVault, tenant: TestTenant, role: MemberRole): Promise<TenantPerson> {
  const { visitor, email } = await welcome(vault, tenant);
  const { owner } = vault.database;
  if (role === 'OWNER') {
    await owner.query(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'OWNER'`, [tenant.id]);
  }
  const { rows } = await owner.query<{ userId: string; memberId: string }>(
    `update members m set role = $3 from users u where m.tenant_id = $1 and u.id = m.user_id and u.email = $2
      returning m.user_id as "userId", m.id as "memberId"`,
    [tenant.id, email, role],
  );
  const [ids] = rows;
  if (ids === undefined) throw new Error('Nobody has joined.');
  return { visitor, ...ids };
}

/** Removes a tenant with its keys immediately, which only an owner can do, in the portal. */
export async function removeAtOnce(vault: TestVault, tenant: TestTenant): Promise<PortalResponse> {
  return askPortal(await signInAs(vault, tenant, 'OWNER'), 'DELETE', '/tenants/self?name=Test');
}

/** Sends a request as the portal's pages do. */
export async function askPortal(
  { visitor }: Pick<TenantPerson, 'visitor'>,
  method: string,
  path: string,
  body?: object,
): Promise<PortalResponse> {
  const headers = {
    'sec-fetch-site': 'same-origin',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await visitor.send(method, `/portal/api${path}`, headers, text);
  return { status: answer.status, body: answer.text === '' ? {} : (JSON.parse(answer.text) as PortalResponse['body']) };
}
