import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/core/access/permission.ts';
import { InvitationLinks, InvitationService } from '../../src/features/invitations/index.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { untilTrue } from '../harness/deadline.ts';
import { PortalVisitor } from '../harness/portal-visitor.ts';
import { askPortal, signInAs, type TenantPerson } from '../harness/tenant-people.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** A former admin tries to return: with a management key, or with an open invitation. */
let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());

interface World {
  readonly tenant: TestTenant;
  readonly owner: TenantPerson;
  readonly admin: TenantPerson;
}

async function makeWorld(): Promise<World> {
  const tenant = await vault.makeTenant();
  const admin = await signInAs(vault, tenant, 'ADMIN');
  return { tenant, admin, owner: await signInAs(vault, tenant, 'OWNER') };
}

const ofAdmins = permissionsOf('management').filter((permission) => permission !== 'tenant:delete');
const managing = { name: 'Managing', type: 'management', permissions: ofAdmins };
const made = (body: unknown) => body as { id: string; key: string };
const ask = (key: string, method: string, path: string, body?: object) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const isRefused = async (key: string) => (await ask(key, 'GET', '/applications/key')).status === 401;

const ends: Record<string, (world: World) => Promise<{ readonly status: number }>> = {
  'removed by the owner': ({ owner, admin }) => askPortal(owner, 'DELETE', `/tenants/self/members/${admin.memberId}`),
  'demoted by the owner': ({ owner, admin }) =>
    askPortal(owner, 'PUT', `/tenants/self/members/${admin.memberId}`, { role: 'READ_ONLY' }),
  'removed with a key': ({ tenant, admin }) =>
    ask(tenant.keys.management, 'DELETE', `/tenants/self/members/${admin.memberId}`),
  'demoted with a key': ({ tenant, admin }) =>
    ask(tenant.keys.management, 'PUT', `/tenants/self/members/${admin.memberId}`, { role: 'READ_ONLY' }),
};

/** Ways to get a key that the admin knows. */
const keys: Record<string, (world: World) => Promise<string>> = {
  'of an application that they created': async ({ admin }) =>
    made((await askPortal(admin, 'POST', '/applications', managing)).body).key,
  'that they created for an application of the owner': async ({ owner, admin }) => {
    const { id } = made((await askPortal(owner, 'POST', '/applications', managing)).body);
    return made((await askPortal(admin, 'POST', `/applications/${id}/keys`)).body).key;
  },
  'of an application that their application created': async ({ admin }) => {
    const { key } = made((await askPortal(admin, 'POST', '/applications', managing)).body);
    return made((await ask(key, 'POST', '/applications', managing)).body).key;
  },
  'that their application created for itself': async ({ admin }) => {
    const { id, key } = made((await askPortal(admin, 'POST', '/applications', managing)).body);
    return made((await ask(key, 'POST', `/applications/${id}/keys`)).body).key;
  },
};

describe.each(Object.keys(ends))('an admin who is %s', (end) => {
  it.each(Object.keys(keys))('loses the management key %s, on record', async (way) => {
    const world = await makeWorld();
    const key = (await keys[way]?.(world)) ?? '';
    const { id } = made((await ask(key, 'GET', '/applications/key')).body);
    expect([200, 204]).toContain((await ends[end]?.(world))?.status);
    await untilTrue(() => isRefused(key), { waitingFor: 'the key to be refused' });
    const changes = (await recordsOf(vault, world.tenant, id)).flatMap(
      ({ details }) => (JSON.parse((details as string | null) ?? '{}') as { changes?: string[] }).changes ?? [],
    );
    expect(changes.some((change) => change.startsWith('key removed: '))).toBe(true);
  });

  it('leaves the keys of the shop working, and those of others', async () => {
    const world = await makeWorld();
    const shop = { name: 'Shop', type: 'private', permissions: ['token:create'] };
    const { key } = made((await askPortal(world.admin, 'POST', '/applications', shop)).body);
    const { key: others } = made((await askPortal(world.owner, 'POST', '/applications', managing)).body);
    await ends[end]?.(world);
    for (const kept of [key, others, world.tenant.keys.management]) expect(await isRefused(kept)).toBe(false);
  });

  it.each(['themselves', 'an application of theirs', 'an application that came with the tenant'])(
    'leaves no invitation behind that was sent by %s',
    async (by) => {
      const world = await makeWorld();
      const body = { email: `${crypto.randomUUID()}@example.com`, role: 'ADMIN' };
      const key =
        by === 'an application of theirs'
          ? ((await keys['of an application that they created']?.(world)) ?? '')
          : world.tenant.keys.management;
      const sent =
        by === 'themselves'
          ? await askPortal(world.admin, 'POST', '/tenants/self/invitations', body)
          : await ask(key, 'POST', '/tenants/self/invitations', body);
      expect(sent.status).toBe(201);
      const path = await linkOf(world.tenant, made(sent.body).id);
      await ends[end]?.(world);
      const { status } = await new PortalVisitor(vault.server.url).post(path);
      expect(status).toBe(by === 'an application that came with the tenant' ? 303 : 404);
    },
  );

  it('leaves an invitation that somebody else has sent again since', async () => {
    const world = await makeWorld();
    const body = { email: `${crypto.randomUUID()}@example.com`, role: 'READ_ONLY' };
    const { id } = made((await askPortal(world.admin, 'POST', '/tenants/self/invitations', body)).body);
    await askPortal(world.owner, 'POST', `/tenants/self/invitations/${id}/resend`);
    const path = await linkOf(world.tenant, id);
    await ends[end]?.(world);
    expect((await new PortalVisitor(vault.server.url).post(path)).status).toBe(303);
  });
});

/** Ways in which an application that has sent an invitation loses the right to do so. */
const losses: Record<string, (world: World, id: string) => Promise<unknown>> = {
  'is deleted': ({ tenant }, id) => ask(tenant.keys.management, 'DELETE', `/applications/${id}`),
  'loses the permission': ({ tenant }, id) =>
    ask(tenant.keys.management, 'PUT', `/applications/${id}`, { name: 'Inviting', permissions: ['log:read'] }),
  'has expired': ({ tenant }, id) =>
    vault.database.owner.query(`update applications set expires_at = now() where tenant_id = $1 and id = $2`, [
      tenant.id,
      id,
    ]),
};

it.each(Object.keys(losses))('an invitation ends when the application that sent it %s', async (loss) => {
  const world = await makeWorld();
  const inviting = { name: 'Inviting', type: 'management', permissions: ['tenant:invitation:create'] };
  const { id, key } = made((await askPortal(world.owner, 'POST', '/applications', inviting)).body);
  const body = { email: `${crypto.randomUUID()}@example.com`, role: 'ADMIN' };
  const path = await linkOf(world.tenant, made((await ask(key, 'POST', '/tenants/self/invitations', body)).body).id);
  await losses[loss]?.(world, id);
  expect((await new PortalVisitor(vault.server.url).post(path)).status).toBe(404);
});

async function linkOf({ id }: TestTenant, invitationId: string): Promise<string> {
  const { database, audit, systemKeys } = vault.server.core;
  const links = new InvitationLinks({ systemKeys, publicUrl: '' });
  const invitations = new InvitationService({ database, audit, links });
  return (await invitations.showLink(parseTenantId(id), invitationId)) ?? '';
}
