import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VaultServer } from '../../src/app/serve/vault-server.ts';
import { welcome } from '../harness/portal-people.ts';
import { createApplication, recordsOf } from '../harness/test-application.ts';
import { revealingRule as rule, type TestSessionPage as Page, TestSessions } from '../harness/test-sessions.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Sessions used to be invisible. Now that they are listed, these tests check who can see and end which sessions, and
 * what the list reveals.
 */
let vault: TestVault;
let other: VaultServer;
let tenant: TestTenant;
let stranger: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  other = await vault.startAnother();
  [tenant, stranger] = [await vault.makeTenant(), await vault.makeTenant()];
  const body = { id: 'secret', type: 'token', data: 'plaintext', containers: ['/a/'] };
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
});
afterAll(() => vault.stop());

const urls = () => [vault.server.url, other.url];
const read = async (key: string, url: string) => (await vault.request('GET', '/tokens/secret', { key, url })).status;
const create = (of = tenant) => new TestSessions(vault, of).create();
const authorize = (nonce: string, of = tenant, more: object = {}) => new TestSessions(vault, of).authorize(nonce, more);
const open = (of = tenant, more: object = {}) => new TestSessions(vault, of).open(more);
const end = (id: string, key = tenant.keys.management) => new TestSessions(vault, tenant).end(id, key);
const list = (key: string, query = '') => vault.request('GET', `/sessions${query}`, { key });
const pageOf = ({ body }: TestResponse) => body as Page;

describe('a session can be seen and ended', () => {
  it.each(['private', 'reveal', 'public'] as const)('not with the %s key', async (name) => {
    const { id, session_key } = await open();
    expect((await list(tenant.keys[name])).status).toBe(403);
    expect((await end(id, tenant.keys[name])).status).toBe(403);
    expect((await recordsOf(vault, tenant, id)).at(-1)).toMatchObject({
      entity_type: 'session',
      operation: 'delete',
      outcome: 'denied',
    });
    for (const url of urls()) expect(await read(session_key, url)).toBe(200);
  });

  it('not with its own key, nor with that of another session', async () => {
    const [one, two] = [await open(), await open()];
    for (const { session_key } of [one, two]) {
      expect((await list(session_key)).status).toBe(403);
      expect((await end(one.id, session_key)).status).toBe(403);
    }
  });

  it.each<[string, readonly string[], number, number]>([
    ['session:read', ['session:read'], 200, 403],
    ['session:delete', ['session:delete'], 403, 204],
    ['both', ['session:read', 'session:delete'], 200, 204],
    ['everything about applications', ['application:read', 'application:delete', 'application:update'], 403, 403],
    ['the log', ['log:read'], 403, 403],
    ['the tenant', ['tenant:read', 'tenant:delete'], 403, 403],
  ])('by a management application with %s', async (_name, permissions, listed, ended) => {
    const { id } = await open();
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions });
    expect((await list(key)).status).toBe(listed);
    expect((await end(id, key)).status).toBe(ended);
  });

  it.each(['private', 'public'])('not by giving the permissions to a %s application', async (type) => {
    for (const permission of ['session:read', 'session:delete']) {
      const body = { name: 'x', type, permissions: [permission] };
      const answer = await vault.request('POST', '/applications', { key: tenant.keys.management, body });
      expect(answer.status).toBe(400);
    }
  });

  it('nor by giving them to a session', async () => {
    for (const permissions of [['session:read'], ['session:delete']]) {
      const { nonce } = await create();
      expect((await authorize(nonce, tenant, { permissions })).status).toBe(400);
    }
  });

  it('not by another tenant, for whom it is not there', async () => {
    const { id, session_key } = await open();
    await open(stranger);
    for (const query of ['', '?authorized=true', '?authorized=false', '?size=100']) {
      const answer = await list(stranger.keys.management, query);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(id);
      expect(answer.text).not.toContain(tenant.id);
    }
    expect(await end(id, stranger.keys.management)).toMatchObject({
      status: 404,
      body: { detail: 'There is no such session.' },
    });
    for (const url of urls()) expect(await read(session_key, url)).toBe(200);
    expect(await recordsOf(vault, tenant, id)).toHaveLength(2);
  });

  it('not by another tenant with a cursor of this one', async () => {
    await open();
    await open();
    const { pagination } = pageOf(await list(tenant.keys.management, '?size=1'));
    const stolen = await list(stranger.keys.management, `?size=100&start=${pagination.next}`);
    expect(stolen.status).toBe(200);
    expect(stolen.text).not.toContain(tenant.id);
  });

  it.each(['none', crypto.randomUUID(), '*', '%00', 'a'.repeat(200), '../sessions', "1' or true --"])(
    '404 for what is no session: %j',
    async (id) => {
      expect((await end(encodeURIComponent(id))).status).toBe(404);
    },
  );

  it('404 for ids of other things', async () => {
    const { id, keyId } = await createApplication(vault, tenant);
    for (const wrong of [id, keyId, tenant.id]) expect((await end(wrong)).status).toBe(404);
    expect((await vault.request('GET', `/applications/${id}`, { key: tenant.keys.management })).status).toBe(200);
  });

  it('by whichever case its id is written in', async () => {
    const { id } = await open();
    expect((await end(id.toUpperCase())).status).toBe(204);
  });
});

describe('members', () => {
  it.each([
    ['OWNER', 200, 204],
    ['ADMIN', 200, 204],
    ['READ_ONLY', 200, 403],
  ])('who are %s may list: %i, and end: %i', async (role, listed, ended) => {
    const own = await vault.makeTenant();
    const { visitor, email } = await welcome(vault, own);
    if (role === 'OWNER')
      await vault.database.owner.query(`delete from members where tenant_id = $1 and role = 'OWNER'`, [own.id]);
    await vault.database.owner.query(
      'update members set role = $3 where tenant_id = $1 and user_id = (select id from users where email = $2)',
      [own.id, email, role],
    );
    const headers = { 'sec-fetch-site': 'same-origin' };
    const { id } = await open(own);
    const page = await visitor.send('GET', '/portal/api/sessions', headers);
    expect(page.status).toBe(listed);
    expect((JSON.parse(page.text) as Page).data.map((session) => session.id)).toEqual([id]);
    expect((await visitor.send('DELETE', `/portal/api/sessions/${id}`, headers)).status).toBe(ended);
    const foreign = await open(tenant);
    expect((await visitor.send('DELETE', `/portal/api/sessions/${foreign.id}`, headers)).status).toBe(
      ended === 204 ? 404 : 403,
    );
    const records = await recordsOf(vault, own, id);
    expect(records.at(-1)).toMatchObject({
      actor_type: 'user',
      operation: 'delete',
      outcome: ended === 204 ? 'success' : 'denied',
    });
  });
});

describe('the list', () => {
  it('shows who, until when and what, and neither key nor nonce nor hash', async () => {
    const own = await vault.makeTenant();
    const { session_key, nonce, id } = await open(own);
    const answer = await list(own.keys.management);
    const { rows } = await vault.database.owner.query<{ hash: Buffer; nonce: Buffer }>(
      'select secret_hash as hash, nonce_hash as nonce from sessions where id = $1',
      [id],
    );
    const secrets = [session_key, session_key.split('_')[3] ?? '', nonce];
    for (const hash of [rows[0]?.hash, rows[0]?.nonce])
      secrets.push(...(['hex', 'base64', 'base64url'] as const).map((form) => hash?.toString(form) ?? ''));
    expect(secrets).not.toContain('');
    for (const secret of secrets) expect(answer.text).not.toContain(secret);
    const authorizer = await vault.request('GET', '/applications/key', { key: own.keys.reveal });
    const creator = await vault.request('GET', '/applications/key', { key: own.keys.public });
    const { id: authorizedBy, keys } = authorizer.body as { id: string; keys: { id: string }[] };
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(answer.body).toEqual({
      pagination: { page_size: 20 },
      data: [
        {
          id,
          tenant_id: own.id,
          application_id: (creator.body as { id: string }).id,
          authorized_by: authorizedBy,
          authorized_by_key: keys[0]?.id,
          permissions: [],
          rules: [rule],
          created_at: time,
          authorized_at: time,
          expires_at: time,
        },
      ],
    });
    expect((await recordsOf(vault, own, '*')).at(-1)).toMatchObject({ entity_type: 'session', operation: 'read' });
  });

  it('shows what waits without what it does not have yet', async () => {
    const own = await vault.makeTenant();
    await create(own);
    const [waiting] = pageOf(await list(own.keys.management)).data;
    expect(Object.keys(waiting ?? {}).toSorted()).toEqual(
      ['application_id', 'created_at', 'expires_at', 'id', 'permissions', 'rules', 'tenant_id'].toSorted(),
    );
  });

  it('finds those that were authorized among any number that were not', async () => {
    const own = await vault.makeTenant();
    const { id } = await open(own);
    for (let count = 0; count < 30; count += 1) await create(own);
    const authorized = pageOf(await list(own.keys.management, '?authorized=true'));
    expect(authorized).toMatchObject({ pagination: { page_size: 20 }, data: [{ id }] });
    expect(authorized.data).toHaveLength(1);
    const waiting = pageOf(await list(own.keys.management, '?authorized=false&size=100'));
    expect(waiting.data).toHaveLength(30);
    expect(waiting.data.some(({ authorized_by }) => authorized_by !== undefined)).toBe(false);
  });

  it('leads through all of them once, newest first, while others come and go', async () => {
    const own = await vault.makeTenant();
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) made.unshift((await open(own)).id);
    const seen: string[] = [];
    for (let query = '?size=3'; query !== ''; ) {
      const { pagination, data } = pageOf(await list(own.keys.management, query));
      expect(data.length).toBeLessThanOrEqual(3);
      seen.push(...data.map(({ id }) => id));
      // One of the listed sessions ends and a new one begins. Neither changes the position of the others.
      await end(data[0]?.id ?? '', own.keys.management);
      await create(own);
      query = pagination.next === undefined ? '' : `?size=3&start=${pagination.next}`;
    }
    expect(seen).toEqual(made);
  });

  it('ends a page early instead of holding megabytes of rules', async () => {
    const own = await vault.makeTenant();
    const conditions = (index: number) =>
      Array.from({ length: 4 }, (_, count) => ({
        attribute: 'id',
        operator: 'equals',
        value: `${index}-${count}-${'x'.repeat(380)}`,
      }));
    const rules = Array.from({ length: 100 }, (_, index) => ({
      priority: index,
      conditions: conditions(index),
      transform: 'mask',
      permissions: ['token:read'],
    }));
    const made: string[] = [];
    for (let count = 0; count < 12; count += 1) made.unshift((await open(own, { rules })).id);
    const seen: string[] = [];
    let pages = 0;
    for (let query = '?size=100'; query !== ''; pages += 1) {
      const answer = await list(own.keys.management, query);
      expect(answer.text.length).toBeLessThan(2_000_000);
      const { pagination, data } = pageOf(answer);
      seen.push(...data.map(({ id }) => id));
      query = pagination.next === undefined ? '' : `?size=100&start=${pagination.next}`;
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen).toEqual(made);
  });

  it('leaves out what has ended with itself or with an application', async () => {
    const own = await vault.makeTenant();
    const [expired, kept] = [await open(own), await open(own)];
    await vault.database.owner.query('update sessions set expires_at = now() where id = $1', [expired.id]);
    expect(pageOf(await list(own.keys.management)).data.map(({ id }) => id)).toEqual([kept.id]);
    expect((await end(expired.id, own.keys.management)).status).toBe(404);
    await vault.database.owner.query(
      `update applications set expires_at = now() where tenant_id = $1 and id in (select authorized_by from sessions)`,
      [own.id],
    );
    expect(pageOf(await list(own.keys.management)).data).toEqual([]);
    // The application's expiry may be extended later, which would make its sessions valid again. They can be ended
    // before that.
    expect((await end(kept.id, own.keys.management)).status).toBe(204);
  });

  it.each([
    '?start=',
    '?start=x',
    '?start=1.2',
    '?start=1700000000000.',
    '?start=1700000000000.zzzzzzzz-zzzz-4zzz-8zzz-zzzzzzzzzzzz',
    '?start=9999999999999999.00000000-0000-4000-8000-000000000000',
    `?start=${'1'.repeat(200)}`,
    '?size=0',
    '?size=101',
    '?size=-1',
    '?authorized=yes',
    '?authorized=TRUE',
    '?authorized=',
    '?authorized=true&authorized=false',
    '?application_id=x',
    '?page=2',
    '?start=a&start=b',
  ])('400 for %s', async (query) => {
    expect((await list(tenant.keys.management, query)).status).toBe(400);
  });

  it('takes a cursor of any time that a date has', async () => {
    const start = '999999999999999.00000000-0000-4000-8000-000000000000';
    expect((await list(tenant.keys.management, `?start=${start}`)).status).toBeLessThan(500);
  });

  it.each([
    ['GET', '/sessions/{id}'],
    ['PUT', '/sessions/{id}'],
    ['PATCH', '/sessions/{id}'],
    ['DELETE', '/sessions'],
  ])('has no %s %s', async (method, path) => {
    const { id } = await open();
    const answer = await vault.request(method, path.replace('{id}', id), { key: tenant.keys.management });
    expect(answer.status).toBe(405);
  });
});
