import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { ExportApprovals } from '../../src/features/exports/index.ts';
import { purgeTenantJob, removeTenantsJob, TenantDeletion } from '../../src/features/tenants/index.ts';
import { untilTrue } from '../harness/deadline.ts';
import { inviteTo } from '../harness/portal-people.ts';
import { PortalVisitor } from '../harness/portal-visitor.ts';
import { tapRoutes } from '../harness/route-tap.ts';
import { askPortal, signInAs, type TenantPerson } from '../harness/tenant-people.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A tenant is deleted by mistake or without authorization. It can no longer be used in any way, but nothing is lost.
 */
let vault: TestVault;
let routes: RouteOptions[];
beforeAll(async () => {
  const { started, servers } = await tapRoutes(() => TestVault.start());
  vault = started;
  routes = servers.flat().filter(({ config }) => (config?.permission ?? 'public') !== 'public');
});
afterAll(() => vault.stop());

interface World {
  readonly tenant: TestTenant;
  readonly owner: TenantPerson;
  readonly tokenId: string;
}

async function makeWorld(): Promise<World> {
  const tenant = await vault.makeTenant();
  const body = { type: 'token', data: 'Sensitive Value' };
  const token = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body });
  return { tenant, owner: await signInAs(vault, tenant, 'OWNER'), tokenId: (token.body as { id: string }).id };
}

const ask = (key: string, method: string, path: string) => vault.request(method, path, { key });
const remove = ({ tenant }: World, query = '') => ask(tenant.keys.management, 'DELETE', `/tenants/self${query}`);
const removeAtOnce = ({ owner }: World, query: string) => askPortal(owner, 'DELETE', `/tenants/self${query}`);
const restore = ({ owner }: World) => askPortal(owner, 'POST', '/tenants/self/restore');
const deletion = () => new TenantDeletion(vault.server.core.database);
const isRefused = async (key: string) => (await ask(key, 'GET', '/applications/key')).status === 401;
const refused = (key: string) => untilTrue(() => isRefused(key), { waitingFor: 'the key to be refused' });
const works = (key: string) => untilTrue(async () => !(await isRefused(key)), { waitingFor: 'the key to work again' });
const codeOf = (body: unknown) => (body as { type?: string } | undefined)?.type;
const isFor = (audience: 'keys' | 'members', { url }: RouteOptions) =>
  url.startsWith('/portal/api/') === (audience === 'members');

function routesFor(audience: 'keys' | 'members') {
  return routes
    .filter((route) => isFor(audience, route))
    .flatMap(({ method, url, config }) =>
      [method]
        .flat()
        .filter((one) => one !== 'HEAD')
        .map((one) => ({ method: one, url: url.replaceAll(/:\w+|\*/g, crypto.randomUUID()), config })),
    );
}

/** Moves the deletion into the past. */
const age = (tenant: TestTenant, interval: string) =>
  vault.database.owner.query(`update tenants set deleted_at = now() - $2::interval where id = $1`, [
    tenant.id,
    interval,
  ]);
const exists = async (tenant: TestTenant) =>
  (await vault.database.owner.query('select from tenants where id = $1', [tenant.id])).rows.length === 1;

async function rowsOf({ id }: TestTenant): Promise<Record<string, number>> {
  const { rows } = await vault.database.owner.query<{ table: string }>(
    `select table_name as table from information_schema.columns where table_schema = 'public'
      and column_name = 'tenant_id' and table_name not like 'audit%'`,
  );
  const counts = rows.map(async ({ table }) => {
    const found = await vault.database.owner.query(`select from ${table} where tenant_id = $1`, [id]);
    return [table, found.rows.length] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

async function readToken({ tenant, tokenId }: World): Promise<unknown> {
  return ((await ask(tenant.keys.reveal, 'GET', `/tokens/${tokenId}`)).body as { data?: unknown }).data;
}

describe('a deleted tenant', () => {
  it.each(['private', 'reveal', 'public', 'management'] as const)('refuses its %s key, and says why', async (kind) => {
    const world = await makeWorld();
    const key = world.tenant.keys[kind];
    expect((await ask(key, 'GET', '/applications/key')).status).toBe(200);
    expect((await remove(world)).status).toBe(204);
    await refused(key);
    const { body } = await ask(key, 'GET', '/applications/key');
    expect(body).toMatchObject({ type: '/docs/errors/tenant-deleted', status: 401 });
    expect((body as { detail: string }).detail).toContain('its owner can restore it in the portal');
  });

  it.each([true, false])('refuses its sessions; authorized: %s', async (isAuthorized) => {
    const world = await makeWorld();
    const { keys } = world.tenant;
    const made = await ask(keys.public, 'POST', '/sessions');
    const { session_key, nonce } = made.body as { session_key: string; nonce: string };
    if (isAuthorized) {
      const body = { nonce, permissions: ['token:read'] };
      const answer = await vault.request('POST', '/sessions/authorize', { key: keys.private, body });
      expect(answer.status).toBe(200);
    }
    const use = () => ask(session_key, 'GET', `/tokens/${world.tokenId}`);
    expect((await use()).status).toBe(isAuthorized ? 200 : 403);
    await remove(world);
    await untilTrue(async () => (await use()).status === 401, { waitingFor: 'the session to be refused' });
    expect(codeOf((await use()).body)).toBe('/docs/errors/tenant-deleted');
  });

  it('refuses every route for keys', async () => {
    const world = await makeWorld();
    await remove(world);
    for (const key of [world.tenant.keys.management, world.tenant.keys.reveal, world.tenant.keys.public]) {
      await refused(key);
    }
    const wrong: string[] = [];
    const known = routesFor('keys');
    expect(known.length).toBeGreaterThan(40);
    for (const { method, url, config } of known) {
      const key = String(config?.permission).startsWith('token')
        ? world.tenant.keys.reveal
        : world.tenant.keys.management;
      const { status, text } = await ask(key, method, url);
      // The proxy has another format for its own problems.
      if (status !== 401 || !text.includes('The tenant was deleted.')) wrong.push(`${method} ${url} was ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(['OWNER', 'ADMIN', 'READ_ONLY'] as const)('refuses every route for members but two, to %s', async (role) => {
    const world = await makeWorld();
    const person = role === 'OWNER' ? world.owner : await signInAs(vault, world.tenant, role);
    await remove(world);
    const open: string[] = [];
    const isRestore = (url: string) => url.endsWith('/tenants/self/restore');
    // The tenant is restored last, so that every other route meets a deleted tenant.
    const lastRestored = routesFor('members').toSorted((a, b) => Number(isRestore(a.url)) - Number(isRestore(b.url)));
    for (const { method, url } of lastRestored) {
      if (url === '/portal/api/me') continue;
      // The name is wrong, so that nothing is removed.
      const path = method === 'DELETE' && url.endsWith('/tenants/self') ? `${url}?name=Other` : url;
      const { status } = await askPortal(person, method, path.slice('/portal/api'.length));
      if (status !== 403) open.push(`${method} ${url} ${status}`);
    }
    const expected = ['DELETE /portal/api/tenants/self 400', 'POST /portal/api/tenants/self/restore 204'];
    expect(open.toSorted()).toEqual(role === 'OWNER' ? expected : []);
  });

  it('is shown to its members, with the time until which it can be restored', async () => {
    const world = await makeWorld();
    await remove(world);
    const { body } = await askPortal(world.owner, 'GET', '/me');
    const [tenant] = (body as { tenants: { id: string; deleted_at: string; removed_at: string }[] }).tenants;
    expect(tenant?.id).toBe(world.tenant.id);
    const days = (Date.parse(tenant?.removed_at ?? '') - Date.parse(tenant?.deleted_at ?? '')) / 86_400_000;
    expect(days).toBe(7);
  });

  it('keeps every row, and gives everything back to its owner', async () => {
    const world = await makeWorld();
    const before = await rowsOf(world.tenant);
    await remove(world);
    await refused(world.tenant.keys.reveal);
    expect(await rowsOf(world.tenant)).toEqual(before);
    expect((await restore(world)).status).toBe(204);
    for (const key of Object.values(world.tenant.keys)) await works(key);
    expect(await readToken(world)).toBe('Sensitive Value');
    expect(await rowsOf(world.tenant)).toEqual(before);
  });

  it('is restored by an operator', async () => {
    const world = await makeWorld();
    await remove(world);
    await refused(world.tenant.keys.reveal);
    await deletion().restoreByOperator(parseTenantId(world.tenant.id));
    await works(world.tenant.keys.reveal);
    expect(await readToken(world)).toBe('Sensitive Value');
  });

  it.each(['ADMIN', 'READ_ONLY'] as const)('is not restored by %s', async (role) => {
    const world = await makeWorld();
    const person = await signInAs(vault, world.tenant, role);
    await remove(world);
    expect((await askPortal(person, 'POST', '/tenants/self/restore')).status).toBe(403);
    expect(await isRefused(world.tenant.keys.management)).toBe(true);
  });

  it('cannot be restored if it is not deleted', async () => {
    const world = await makeWorld();
    expect((await restore(world)).status).toBe(400);
    await expect(deletion().restoreByOperator(parseTenantId(world.tenant.id))).rejects.toThrow('nothing to restore');
  });

  it('takes nobody in: an invitation works again once it is restored', async () => {
    const world = await makeWorld();
    const { path } = await inviteTo(vault, world.tenant);
    await remove(world);
    const visitor = new PortalVisitor(vault.server.url);
    expect((await visitor.get(path)).status).toBe(404);
    expect((await visitor.post(path)).status).toBe(404);
    await restore(world);
    expect((await visitor.post(path)).status).toBe(303);
  });

  it('invites nobody, and issues nobody a key, on the command line', async () => {
    const world = await makeWorld();
    await remove(world);
    await expect(inviteTo(vault, world.tenant)).rejects.toThrow('The tenant was deleted.');
    const { database, apiKeyMaker } = vault.server.core;
    const { ApplicationRecovery } = await import('../../src/features/applications/index.ts');
    const recovery = new ApplicationRecovery({ database, apiKeyMaker });
    await expect(recovery.create(parseTenantId(world.tenant.id), 'Back in')).rejects.toThrow('The tenant was deleted.');
  });

  it('exports nothing', async () => {
    const world = await makeWorld();
    await remove(world);
    const exports = new ExportApprovals(vault.server.core.database);
    const recipient = { kind: 'age', text: 'age1', fingerprint: '00' } as const;
    const wish = { recipient, filter: { type: null, container: null }, requestedFrom: 'here' };
    await expect(exports.request(parseTenantId(world.tenant.id), wish)).rejects.toThrow('The tenant was deleted.');
  });

  it('writes down who deleted, restored and removed it, and who tried to use it', async () => {
    const world = await makeWorld();
    const { tenant, owner } = world;
    await remove(world);
    await refused(tenant.keys.private);
    await restore(world);
    await works(tenant.keys.management);
    await removeAtOnce(world, '?name=Test');
    const records = await recordsOf(vault, tenant, tenant.id);
    const written = records.map(({ operation, actor_type }) => [operation, actor_type].join(' '));
    expect(written.slice(0, 3)).toEqual(['create system', 'delete application', 'restore user']);
    expect(written.slice(3).toSorted()).toEqual(['delete user', 'remove user']);
    expect(records[2]).toMatchObject({ actor_id: owner.userId, outcome: 'success' });
    const denied = (await vault.auditRecords(tenant.id)).filter(({ outcome }) => outcome === 'denied');
    expect(denied).not.toEqual([]);
  });
});

describe('the removal of a deleted tenant', () => {
  const run = () => removeTenantsJob(vault.server.core.database).run(null);

  it.each([
    ['0 seconds', true],
    ['1 day', true],
    ['6 days 23 hours 59 minutes', true],
    ['7 days', false],
    ['7 days 1 second', false],
    ['90 days', false],
  ])('%s after the deletion: kept is %s', async (interval, isKept) => {
    const world = await makeWorld();
    await remove(world);
    await age(world.tenant, interval);
    await run();
    expect(await exists(world.tenant)).toBe(isKept);
    if (isKept) {
      await restore(world);
      await works(world.tenant.keys.reveal);
      expect(await readToken(world)).toBe('Sensitive Value');
      return;
    }
    expect(await recordsOf(vault, world.tenant, world.tenant.id)).toContainEqual(
      expect.objectContaining({ operation: 'remove', actor_type: 'system' }),
    );
    await purgeTenantJob(vault.server.core.database).run({ tenant_id: world.tenant.id });
    const left = Object.entries(await rowsOf(world.tenant)).filter(([, rows]) => rows > 0);
    expect(left).toEqual([]);
  });

  it('leaves a tenant alone that was restored, however long ago it was deleted', async () => {
    const world = await makeWorld();
    await remove(world);
    await age(world.tenant, '30 days');
    await restore(world);
    await run();
    expect(await exists(world.tenant)).toBe(true);
  });

  it('leaves a tenant alone that was never deleted', async () => {
    const world = await makeWorld();
    await run();
    expect(await exists(world.tenant)).toBe(true);
  });

  it('starts the seven days again with a second deletion', async () => {
    const world = await makeWorld();
    await remove(world);
    await age(world.tenant, '6 days');
    await restore(world);
    await works(world.tenant.keys.management);
    await remove(world);
    await run();
    expect(await exists(world.tenant)).toBe(true);
  });

  it('has one winner against a restoration', async () => {
    const world = await makeWorld();
    await remove(world);
    await age(world.tenant, '8 days');
    const [restored] = await Promise.all([restore(world), run()]);
    expect(await exists(world.tenant)).toBe(restored.status === 204);
    // After the removal, the owner is not a member of any tenant. The status 400 means that the request must name a
    // tenant.
    expect([204, 400, 401, 404]).toContain(restored.status);
  });
});

describe('a name', () => {
  it.each(['', 'test', 'TEST', 'Test ', ' Test', 'Tes', 'Testing', 'Other', '%', '*', 'null', 'true', 'x'.repeat(200)])(
    'of "%s" removes nothing',
    async (name) => {
      const world = await makeWorld();
      const answer = await removeAtOnce(world, `?name=${encodeURIComponent(name)}`);
      expect(answer).toMatchObject({ status: 400, body: { errors: { name: expect.anything() } } });
      expect(await readToken(world)).toBe('Sensitive Value');
    },
  );

  it.each(['?name=Test&name=Test', `?name=${'x'.repeat(201)}`, '?confirm=Test', '?Name=Test'])(
    'in another form removes nothing: %s',
    async (query) => {
      const world = await makeWorld();
      expect((await remove(world, query)).status).toBe(400);
      expect((await removeAtOnce(world, query)).status).toBe(400);
      expect(await readToken(world)).toBe('Sensitive Value');
    },
  );

  it('as it is written removes the tenant with its keys at once', async () => {
    const world = await makeWorld();
    expect((await removeAtOnce(world, '?name=Test')).status).toBe(204);
    expect(await exists(world.tenant)).toBe(false);
    expect((await rowsOf(world.tenant))['tenant_keys']).toBe(0);
    await refused(world.tenant.keys.reveal);
    await expect(deletion().restoreByOperator(parseTenantId(world.tenant.id))).rejects.toThrow('no such tenant');
  });

  it('removes a tenant that is deleted already, for its owner only', async () => {
    const world = await makeWorld();
    const admin = await signInAs(vault, world.tenant, 'ADMIN');
    await remove(world);
    expect((await askPortal(admin, 'DELETE', '/tenants/self?name=Test')).status).toBe(403);
    expect((await askPortal(world.owner, 'DELETE', '/tenants/self?name=Other')).status).toBe(400);
    expect((await askPortal(world.owner, 'DELETE', '/tenants/self')).status).toBe(400);
    expect(await exists(world.tenant)).toBe(true);
    expect((await askPortal(world.owner, 'DELETE', '/tenants/self?name=Test')).status).toBe(204);
    expect(await exists(world.tenant)).toBe(false);
  });
});
