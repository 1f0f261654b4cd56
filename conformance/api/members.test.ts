import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addMember } from '../harness/add-member.ts';
import { ApiCaller, fieldsOf, type PageResponse } from '../harness/api-caller.ts';
import { makeTenant, type NewTenant } from '../harness/make-tenant.ts';
import { isoTimestamp, uuidV4 } from '../harness/value-forms.ts';

interface MemberAnswer {
  readonly id: string;
  readonly role: string;
  readonly user: { readonly id: string; readonly email?: string };
}

const vault = inject('vault');
let tenant: NewTenant;
let manager: ApiCaller;
beforeAll(async () => {
  tenant = await makeTenant(vault, 'owner@example.com');
  manager = new ApiCaller(vault, tenant.managementKey);
});
const join = (email = `${crypto.randomUUID()}@example.com`) => addMember(vault, tenant.id, email);
async function list(query = ''): Promise<PageResponse<MemberAnswer>> {
  const answer = await manager.get(`/tenants/self/members${query}`);
  expect(answer.status).toBe(200);
  return answer.body as PageResponse<MemberAnswer>;
}

describe('Resources: tenant member and user objects', () => {
  it('a member has an id, a tenant, a role and a user; the user an id and an e-mail address', async () => {
    const id = await join('ada@example.com');
    expect((await list()).data[0]).toMatchObject({
      id,
      tenant_id: tenant.id,
      role: 'ADMIN',
      user: { id: expect.stringMatching(uuidV4), email: 'ada@example.com' },
      created_at: expect.stringMatching(isoTimestamp),
    });
  });

  it('the role OWNER is given to the owner of the tenant', async () => {
    const owners = (await list('?size=50')).data.filter(({ role }) => role === 'OWNER');
    expect(owners.map(({ user }) => user.email)).toEqual(['owner@example.com']);
  });

  it('the owner cannot be deleted', async () => {
    const owner = (await list('?size=50')).data.find(({ role }) => role === 'OWNER');
    expect((await manager.delete(`/tenants/self/members/${owner?.id}`)).status).toBe(422);
    expect((await list('?size=50')).data).toContainEqual(owner);
  });
});

describe('Endpoints: GET /tenants/self/members', () => {
  it('user_id: one or more', async () => {
    await join();
    await join();
    const [first, second] = (await list('?size=2')).data.map(({ user }) => user.id);
    expect((await list(`?user_id=${first}`)).data.map(({ user }) => user.id)).toEqual([first]);
    expect((await list(`?user_id=${first}&user_id=${second}`)).pagination.total_items).toBe(2);
  });

  it('page and size: the first page of 20 where they are left out, at most 50', async () => {
    await join();
    expect((await list()).pagination).toMatchObject({ page_number: 1, page_size: 20 });
    const [, second] = (await list()).data;
    expect((await list('?page=2&size=1')).data).toEqual([second]);
    expect((await list('?size=50')).pagination.page_size).toBe(50);
    expect(fieldsOf(await manager.get('/tenants/self/members?size=51'))).toEqual(['size']);
  });
});

describe('Endpoints: DELETE /tenants/self/members/{id}', () => {
  it('deletes the member', async () => {
    const id = await join();
    expect((await manager.delete(`/tenants/self/members/${id}`)).status).toBe(204);
    expect((await list('?size=50')).data.map((member) => member.id)).not.toContain(id);
    expect((await manager.delete(`/tenants/self/members/${id}`)).status).toBe(404);
  });
});
