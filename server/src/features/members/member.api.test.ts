import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createApplication,
  fieldsOf,
  recordsOf,
  utcTimestamp,
  uuidV4,
} from '../../../test/harness/test-application.ts';
import { setPassword, welcome } from '../../../test/harness/portal-people.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { MemberStore, type Role } from './index.ts';

interface View {
  readonly id: string;
  readonly role: string;
  readonly user: { readonly id: string; readonly email?: string };
}

let vault: TestVault;
let tenant: TestTenant;
let owner: View;
let managerId: string;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  owner = (await ask('GET', '/owner')).body as View;
  const own = await vault.request('GET', '/applications/key', { key: tenant.keys.management });
  managerId = (own.body as { id: string }).id;
});
afterAll(() => vault.stop());

function ask(method: string, path: string, body?: unknown, of = tenant) {
  return vault.request(method, `/tenants/self${path}`, {
    key: of.keys.management,
    ...(body === undefined ? {} : { body }),
  });
}

/** Adds a member in the same way as accepting an invitation does. */
async function addMember(role: Role = 'ADMIN', of = tenant, email = `${crypto.randomUUID()}@example.com`) {
  const tenantId = parseTenantId(of.id);
  const { database } = vault.server.core;
  return database.forTenant(tenantId, async (tx) => {
    const store = new MemberStore(tx, tenantId);
    const user = await store.joinUser(email);
    return { id: await store.insert({ userId: user.id, role, createdBy: null }), userId: user.id, email };
  });
}
const listed = async (query = '') => {
  const answer = await ask('GET', `/members${query}`);
  expect(answer.status).toBe(200);
  return answer.body as { pagination: Record<string, number>; data: View[] };
};

describe('GET /tenants/self/members', () => {
  it('200 lists members with their users, newest first, and records the reading', async () => {
    const first = await addMember('READ_ONLY');
    const second = await addMember();
    const { pagination, data } = await listed();
    expect(pagination).toEqual({ total_items: 3, page_number: 1, page_size: 20, total_pages: 1 });
    expect(data.map(({ id }) => id)).toEqual([second.id, first.id, owner.id]);
    expect(data[1]).toEqual({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      role: 'READ_ONLY',
      user: { id: first.userId, email: first.email },
      sign_in_ways: [],
      created_at: expect.stringMatching(utcTimestamp),
      created_date: expect.stringMatching(utcTimestamp),
    });
    expect(await recordsOf(vault, tenant, '*')).toMatchObject([
      { entity_type: 'member', operation: 'read', outcome: 'success', actor_type: 'application' },
    ]);
  });

  it('200 says when members last signed in, and how they can', async () => {
    const { email, visitor } = await welcome(vault, tenant);
    const find = async () => (await listed()).data.find(({ user }) => user.email === email);
    expect(await find()).toMatchObject({ last_signed_in_at: expect.stringMatching(utcTimestamp), sign_in_ways: [] });
    await setPassword(visitor);
    const userId = (await find())?.user.id;
    await vault.database.owner.query(
      `insert into user_identities (user_id, issuer, subject) values ($1, 'https://id.example', $2)`,
      [userId, email],
    );
    await vault.database.owner.query(`update users set last_signed_in_at = '2026-03-02T09:30:00Z' where id = $1`, [
      userId,
    ]);
    const known = { last_signed_in_at: '2026-03-02T09:30:00.000Z', sign_in_ways: ['password', 'provider'] };
    expect(await find()).toMatchObject(known);
    // The data of a user is visible only to the tenants that the user belongs to.
    const other = await vault.makeTenant();
    const ways = await vault.server.core.database.forTenant(parseTenantId(other.id), (tx) =>
      tx.query({ text: 'select sign_in_ways($1) as ways', values: [userId ?? ''] }),
    );
    expect(ways).toEqual([{ ways: null }]);
  });

  it('200 pages, and is empty past the end', async () => {
    await addMember();
    await addMember();
    const ids = (await listed()).data.map(({ id }) => id);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => listed(`?size=1&page=${page}`)));
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect(pages[3]?.pagination).toEqual({ total_items: 3, page_number: 4, page_size: 1, total_pages: 3 });
  });

  it('200 finds by user id, by several, in any case, and nobody by an unknown one', async () => {
    const [first, second] = [await addMember(), await addMember()];
    const idsFor = async (query: string) => (await listed(query)).data.map(({ id }) => id);
    expect(await idsFor(`?user_id=${first.userId}`)).toEqual([first.id]);
    expect(await idsFor(`?user_id=${first.userId.toUpperCase()}&user_id=${owner.user.id}`)).toEqual([
      first.id,
      owner.id,
    ]);
    expect(await idsFor(`?user_id=${crypto.randomUUID()}`)).toEqual([]);
    expect((await listed(`?user_id=${second.userId}`)).pagination).toMatchObject({ total_items: 1 });
  });

  it('200 shows nobody of another tenant, also not a user of both', async () => {
    const other = await vault.makeTenant();
    const shared = await addMember('ADMIN', other);
    const here = await addMember('READ_ONLY', tenant, shared.email.toUpperCase());
    expect(here.userId).toBe(shared.userId);
    const { data } = await listed(`?user_id=${shared.userId}`);
    expect(data).toMatchObject([{ id: here.id, tenant_id: tenant.id, role: 'READ_ONLY' }]);
  });

  it.each(['size=51', 'size=0', 'page=0', 'page=x', 'user_id=', 'user_id=x', 'user_id=x&user_id=y'])(
    '400 refuses ?%s',
    async (query) => {
      expect((await ask('GET', `/members?${query}`)).status).toBe(400);
    },
  );

  it('200 takes 50 on a page', async () => {
    expect((await listed('?size=50')).pagination).toMatchObject({ page_size: 50 });
  });

  it('400 refuses more than a hundred user ids', async () => {
    const query = Array.from({ length: 101 }, () => `user_id=${crypto.randomUUID()}`).join('&');
    expect((await ask('GET', `/members?${query}`)).status).toBe(400);
  });
});

describe('PUT /tenants/self/members/{id}', () => {
  it.each(['application/json', 'application/json-patch+json'])('200 changes the role (%s)', async (contentType) => {
    const { id } = await addMember();
    const answer = await vault.request('PUT', `/tenants/self/members/${id}`, {
      key: tenant.keys.management,
      headers: { 'content-type': contentType },
      body: { role: 'READ_ONLY' },
    });
    expect(answer).toMatchObject({ status: 200, body: { id, role: 'READ_ONLY', modified_by: managerId } });
    expect(await recordsOf(vault, tenant, id)).toMatchObject([{ entity_type: 'member', operation: 'update' }]);
  });

  it('200 hands the tenant over: the owner of before becomes an admin and can be deleted', async () => {
    const { id, userId } = await addMember();
    expect(await ask('PUT', `/members/${id}`, { role: 'OWNER' })).toMatchObject({
      status: 200,
      body: { role: 'OWNER' },
    });
    expect((await ask('GET', '')).body).toMatchObject({ owner_id: userId });
    expect((await listed(`?user_id=${owner.user.id}`)).data).toMatchObject([{ role: 'ADMIN' }]);
    expect(await recordsOf(vault, tenant, owner.id)).toMatchObject([{ operation: 'read' }, { operation: 'update' }]);
    expect((await ask('DELETE', `/members/${id}`)).status).toBe(422);
    expect((await ask('DELETE', `/members/${owner.id}`)).status).toBe(204);
  });

  it('leaves one owner when ten are made the owner at once', async () => {
    const members = await Promise.all(Array.from({ length: 10 }, () => addMember()));
    const answers = await Promise.all(members.map(({ id }) => ask('PUT', `/members/${id}`, { role: 'OWNER' })));
    expect(answers.map(({ status }) => status)).toEqual(members.map(() => 200));
    expect((await listed()).data.filter(({ role }) => role === 'OWNER')).toHaveLength(1);
  });

  it('400 keeps the owner the owner', async () => {
    const answer = await ask('PUT', `/members/${owner.id}`, { role: 'ADMIN' });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['role']]);
    expect((await ask('GET', '/owner')).body).toMatchObject({ id: owner.id });
  });

  it.each([{}, { role: 'owner' }, { role: 'ROOT' }, { role: null }, []])('400 refuses %j', async (body) => {
    const { id } = await addMember();
    expect((await ask('PUT', `/members/${id}`, body)).status).toBe(400);
  });

  it('404 for who is not a member here', async () => {
    const other = await vault.makeTenant();
    const foreign = await addMember('ADMIN', other);
    for (const id of [foreign.id, crypto.randomUUID(), 'x']) {
      expect((await ask('PUT', `/members/${id}`, { role: 'OWNER' })).status).toBe(404);
    }
  });
});

describe('DELETE /tenants/self/members/{id}', () => {
  it('204 removes the member, keeps the user, and records it', async () => {
    const { id, userId } = await addMember();
    expect(await ask('DELETE', `/members/${id}`)).toMatchObject({ status: 204, text: '' });
    expect((await listed(`?user_id=${userId}`)).data).toEqual([]);
    expect((await ask('DELETE', `/members/${id}`)).status).toBe(404);
    const { rows } = await vault.database.owner.query('select from users where id = $1', [userId]);
    expect(rows).toHaveLength(1);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { entity_type: 'member', operation: 'delete', details: expect.stringContaining('role removed: ') },
      { entity_type: 'member', operation: 'delete', outcome: 'missed' },
    ]);
  });

  it('404 leaves a member of another tenant alone', async () => {
    const other = await vault.makeTenant();
    const { id } = await addMember('ADMIN', other);
    expect((await ask('DELETE', `/members/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `/members/${id}`, undefined, other)).status).toBe(204);
  });

  it('422 never removes the owner, and leaves no record behind', async () => {
    const answer = await ask('DELETE', `/members/${owner.id}`);
    expect(answer).toMatchObject({ status: 422, body: { type: '/docs/errors/owner-undeletable', status: 422 } });
    const records = await recordsOf(vault, tenant, owner.id);
    expect(records.filter(({ operation }) => operation === 'delete')).toEqual([]);
  });

  it('403 is recorded as a denied attempt on that member', async () => {
    const { id } = await addMember();
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions: ['tenant:member:read'] });
    expect((await vault.request('DELETE', `/tenants/self/members/${id}`, { key })).status).toBe(403);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { entity_type: 'member', operation: 'delete', outcome: 'denied' },
    ]);
  });
});

describe('a user', () => {
  it('can own several tenants under one address', async () => {
    const ownerEmail = `${crypto.randomUUID()}@Example.com`;
    const make = (email: string) =>
      vault.server.core.tenantMaker.make({ name: 'T', type: 'test', ownerEmail: email, applications: [] });
    const made = await Promise.all([make(ownerEmail), make(ownerEmail.toLowerCase()), make(ownerEmail)]);
    const { rows } = await vault.database.owner.query<{ user_id: string }>(
      `select distinct user_id from members where tenant_id = any($1) and role = 'OWNER'`,
      [made.map(({ tenantId }) => tenantId)],
    );
    expect(rows).toHaveLength(1);
  });
});
