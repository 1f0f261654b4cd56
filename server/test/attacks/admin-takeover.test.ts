import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionCatalog, permissionsOf } from '../../src/core/access/permission.ts';
import type { MemberRole } from '../../src/core/identity/caller.ts';
import { askPortal, signInAs, type TenantPerson } from '../harness/tenant-people.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * An admin tries to get rights that only the owner has: by granting them to an application in every possible way, by
 * using keys of applications that have them, and through applications that act for an admin, no matter how they were
 * created.
 */
let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());

const ownersAlone = 'tenant:delete';
const ofAdmins = permissionsOf('management').filter((permission) => permission !== ownersAlone);
const idIn = ({ body }: { readonly body: unknown }) => (body as { id: string }).id;
const keyIn = ({ body }: { readonly body: unknown }) => (body as { key: string }).key;
const ask = (key: string, method: string, path: string, body?: object) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const management = (permissions: readonly string[], changes: object = {}) => ({
  name: 'Managing',
  type: 'management',
  permissions,
  ...changes,
});
const asUpdate = (settings: object) =>
  Object.fromEntries(Object.entries(settings).filter(([member]) => member !== 'type'));

async function ownerOf(tenant: TestTenant): Promise<string | undefined> {
  const { rows } = await vault.database.owner.query<{ user_id: string }>(
    `select user_id from members where tenant_id = $1 and role = 'OWNER'`,
    [tenant.id],
  );
  return rows[0]?.user_id;
}

async function isOpen(tenant: TestTenant): Promise<boolean> {
  const { rows } = await vault.database.owner.query(`select from tenants where id = $1 and deleted_at is null`, [
    tenant.id,
  ]);
  return rows.length === 1;
}

describe('what a role grants to an application', () => {
  let tenant: TestTenant;
  let bootstrapped: string;
  const people = {} as Record<MemberRole, TenantPerson>;
  beforeAll(async () => {
    tenant = await vault.makeTenant();
    for (const role of ['ADMIN', 'READ_ONLY', 'OWNER'] as const) people[role] = await signInAs(vault, tenant, role);
    bootstrapped = idIn(await ask(tenant.keys.management, 'GET', '/applications/key'));
  });

  type Way = (person: TenantPerson, permission: string, type: string) => Promise<number>;
  const plain = (permission: string, type: string) => ({ name: 'Made', type, permissions: [permission] });
  const existing = async (settings: object) =>
    idIn(await ask(tenant.keys.management, 'POST', '/applications', { create_key: false, ...settings }));
  const ways: Record<string, Way> = {
    'a permission': async (person, permission, type) =>
      (await askPortal(person, 'POST', '/applications', plain(permission, type))).status,
    'a rule': async (person, permission, type) => {
      const transform = permission === 'token:use' ? 'reveal' : 'mask';
      const rules = [{ priority: 1, container: '/', transform, permissions: [permission] }];
      return (await askPortal(person, 'POST', '/applications', { name: 'Made', type, rules })).status;
    },
    'a permission without a key': async (person, permission, type) =>
      (await askPortal(person, 'POST', '/applications', { ...plain(permission, type), create_key: false })).status,
    'an update': async (person, permission, type) => {
      const other = type === 'management' ? 'log:read' : 'token:create';
      const id = await existing(plain(other, type));
      return (await askPortal(person, 'PUT', `/applications/${id}`, asUpdate(plain(permission, type)))).status;
    },
    'a rule in an update': async (person, permission, type) => {
      const id = await existing(plain(type === 'management' ? 'log:read' : 'token:create', type));
      const transform = permission === 'token:use' ? 'reveal' : 'mask';
      const rules = [{ priority: 1, container: '/', transform, permissions: [permission] }];
      return (await askPortal(person, 'PUT', `/applications/${id}`, { name: 'Made', rules })).status;
    },
    'what the application may grant in turn': async (person, permission) => {
      const limit = { permissions: [permission], containers: ['/'], transform: 'reveal' };
      const body = management(['application:create'], { grant_limit: limit });
      return (await askPortal(person, 'POST', '/applications', body)).status;
    },
    'a wider limit in an update': async (person, permission) => {
      const limit = (one: string) => ({ permissions: [one], containers: ['/'], transform: 'reveal' });
      const id = await existing(management(['application:create'], { grant_limit: limit('token:read') }));
      const body = asUpdate(management(['application:create'], { grant_limit: limit(permission) }));
      return (await askPortal(person, 'PUT', `/applications/${id}`, body)).status;
    },
    'a key of an application that has it': async (person, permission, type) => {
      const id = await existing(plain(permission, type));
      return (await askPortal(person, 'POST', `/applications/${id}/keys`)).status;
    },
    'a later end of an application that has it': async (person, permission, type) => {
      const id = await existing({ ...plain(permission, type), expires_at: new Date(Date.now() + 9e6).toISOString() });
      const body = { ...asUpdate(plain(permission, type)), expires_at: null };
      return (await askPortal(person, 'PUT', `/applications/${id}`, body)).status;
    },
  };

  const cases = (['OWNER', 'ADMIN', 'READ_ONLY'] as const).flatMap((role) =>
    Object.keys(ways).flatMap((way) =>
      permissionCatalog.map(({ type, applicationTypes }) => ({
        role,
        way,
        permission: type,
        of: applicationTypes[0],
        isGranted: role === 'OWNER' || (role === 'ADMIN' && type !== ownersAlone),
      })),
    ),
  );
  it.each(cases)('$role, $permission by $way: $isGranted', async ({ role, way, permission, of, isGranted }) => {
    const status = await ways[way]?.(people[role], permission, of);
    expect(isGranted ? [200, 201] : [403]).toContain(status);
  });

  it('includes no key of the first application, which has every management permission', async () => {
    expect((await askPortal(people.ADMIN, 'POST', `/applications/${bootstrapped}/keys`)).status).toBe(403);
    expect((await askPortal(people.OWNER, 'POST', `/applications/${bootstrapped}/keys`)).status).toBe(201);
  });

  it('says who can, and records the attempt as denied', async () => {
    const { body } = await askPortal(people.ADMIN, 'POST', '/applications', management([ownersAlone]));
    expect(body['detail']).toBe(
      'Only the owner of the tenant can grant tenant:delete, or create a key of an application that has it.',
    );
    const records = await vault.auditRecords(tenant.id);
    expect(records.findLast(({ outcome }) => outcome === 'denied')).toMatchObject({
      entity_type: 'application',
      operation: 'create',
      actor_type: 'user',
      actor_id: people.ADMIN.userId,
    });
  });

  it('leaves an admin free to take rights and keys away, as an incident may need', async () => {
    const id = await existing(management([ownersAlone, 'log:read']));
    const key = idIn(await askPortal(people.OWNER, 'POST', `/applications/${id}/keys`));
    expect((await askPortal(people.ADMIN, 'DELETE', `/applications/${id}/keys/${key}`)).status).toBe(204);
    const less = asUpdate(management(['log:read']));
    expect((await askPortal(people.ADMIN, 'PUT', `/applications/${id}`, less)).status).toBe(200);
    expect((await askPortal(people.ADMIN, 'DELETE', `/applications/${id}`)).status).toBe(204);
  });
});

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

const madeBy = async (person: TenantPerson, permissions: readonly string[] = ofAdmins) => {
  const made = await askPortal(person, 'POST', '/applications', management(permissions));
  return { id: idIn(made), key: keyIn(made) };
};
const newKey = async (person: TenantPerson, id: string) =>
  keyIn(await askPortal(person, 'POST', `/applications/${id}/keys`));
const madeThrough = async (key: string, permissions: readonly string[] = ofAdmins) =>
  keyIn(await ask(key, 'POST', '/applications', management(permissions)));
const handOver = ({ owner, admin }: World) =>
  askPortal(owner, 'PUT', `/tenants/self/members/${admin.memberId}`, { role: 'OWNER' });

/** Ways to get an application that acts for an admin or for an unknown person. Each returns the application's key. */
const lesser: Record<string, (world: World) => Promise<string>> = {
  'made by an admin': async ({ admin }) => (await madeBy(admin)).key,
  'made through an application of an admin': async ({ admin }) => madeThrough((await madeBy(admin)).key),
  'two applications away from an admin': async ({ admin }) => madeThrough(await madeThrough((await madeBy(admin)).key)),
  'of the owner, with a key that an admin created': async ({ owner, admin }) => newKey(admin, (await madeBy(owner)).id),
  'made through a key that an admin created': async ({ owner, admin }) =>
    madeThrough(await newKey(admin, (await madeBy(owner)).id)),
  'of the owner, changed by an admin': async ({ owner, admin }) => {
    const { id, key } = await madeBy(owner);
    await askPortal(admin, 'PUT', `/applications/${id}`, asUpdate(management(ofAdmins)));
    return key;
  },
  'of the owner, changed through an application of an admin': async ({ owner, admin }) => {
    const { id, key } = await madeBy(owner);
    await ask((await madeBy(admin)).key, 'PUT', `/applications/${id}`, asUpdate(management(ofAdmins)));
    return key;
  },
  'of an admin, with a key that the owner created': async ({ owner, admin }) => newKey(owner, (await madeBy(admin)).id),
  'of an admin, saved by the owner, with the key of the admin': async ({ owner, admin }) => {
    const { id, key } = await madeBy(admin);
    await askPortal(owner, 'PUT', `/applications/${id}`, asUpdate(management(ofAdmins)));
    return key;
  },
  'of the operator, changed by an admin': async ({ admin, tenant }) => {
    const id = idIn(await ask(tenant.keys.management, 'GET', '/applications/key'));
    await askPortal(admin, 'PUT', `/applications/${id}`, asUpdate(management(ofAdmins)));
    return tenant.keys.management;
  },
  'of an owner who has handed the tenant over': async (world) => {
    const { key } = await madeBy(world.owner, permissionsOf('management'));
    await handOver(world);
    return key;
  },
  'made through an application of an owner who has handed the tenant over': async (world) => {
    const key = await madeThrough(
      (await madeBy(world.owner, permissionsOf('management'))).key,
      permissionsOf('management'),
    );
    await handOver(world);
    return key;
  },
  'of a version that kept no authority': async ({ owner, tenant }) => {
    const { id, key } = await madeBy(owner, permissionsOf('management'));
    await vault.database.owner.query(`update applications set granted_as = null where tenant_id = $1 and id = $2`, [
      tenant.id,
      id,
    ]);
    return key;
  },
  'with a key of a version that kept no authority': async ({ owner, tenant }) => {
    const { id, key } = await madeBy(owner, permissionsOf('management'));
    await vault.database.owner.query(
      `update application_keys set granted_as = null where tenant_id = $1 and application_id = $2`,
      [tenant.id, id],
    );
    return key;
  },
};

type Act = (world: World, key: string) => Promise<number>;
const statusOf = async (answer: Promise<{ readonly status: number }>) => (await answer).status;
/** Actions reserved for the owner, through every route that a key can use. */
const acts: Record<string, Act> = {
  'makes an admin the owner': ({ admin, owner, tenant }, key) =>
    statusOf(
      (async () => {
        const member = (await ownerOf(tenant)) === owner.userId ? admin : owner;
        return ask(key, 'PUT', `/tenants/self/members/${member.memberId}`, { role: 'OWNER' });
      })(),
    ),
  'deletes the tenant': (_, key) => statusOf(ask(key, 'DELETE', '/tenants/self')),
  'creates an application that can delete the tenant': (_, key) =>
    statusOf(ask(key, 'POST', '/applications', management([ownersAlone]))),
  'gives an application the right to grant that': (_, key) =>
    statusOf(
      ask(
        key,
        'POST',
        '/applications',
        management(['application:create'], {
          grant_limit: { permissions: [ownersAlone], containers: ['/'], transform: 'mask' },
        }),
      ),
    ),
  'lets its own application delete the tenant': async (_, key) => {
    const id = idIn(await ask(key, 'GET', '/applications/key'));
    return statusOf(ask(key, 'PUT', `/applications/${id}`, asUpdate(management([...ofAdmins, ownersAlone]))));
  },
  'creates a key of an application that can': async ({ tenant }, key) => {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `insert into applications (tenant_id, id, name, type, permissions, rules, granted_as)
        values ($1, gen_random_uuid(), 'Strong', 'management', '{tenant:delete}', '[]', 'OPERATOR') returning id`,
      [tenant.id],
    );
    return statusOf(ask(key, 'POST', `/applications/${rows[0]?.id}/keys`));
  },
};

describe.each(Object.keys(lesser))('an application %s', (origin) => {
  let world: World;
  let key: string;
  beforeAll(async () => {
    world = await makeWorld();
    key = (await lesser[origin]?.(world)) ?? '';
  });

  it.each(Object.keys(acts))('never %s', async (act) => {
    const before = await ownerOf(world.tenant);
    expect(await acts[act]?.(world, key)).toBe(403);
    expect(await ownerOf(world.tenant)).toBe(before);
    expect(await isOpen(world.tenant)).toBe(true);
  });

  it('still does what an admin may', async () => {
    expect((await ask(key, 'GET', '/tenants/self')).status).toBe(200);
    expect((await ask(key, 'POST', '/applications', management(['log:read']))).status).toBe(201);
    const member = (await ownerOf(world.tenant)) === world.admin.userId ? world.owner : world.admin;
    const change = await ask(key, 'PUT', `/tenants/self/members/${member.memberId}`, { role: 'ADMIN' });
    expect(change.status).toBe(200);
  });
});

/** Ways to get an application that acts for the owner. */
const entrusted: Record<string, (world: World) => Promise<string>> = {
  'that came with the tenant': ({ tenant }) => Promise.resolve(tenant.keys.management),
  'made through the one that came with the tenant': ({ tenant }) =>
    madeThrough(tenant.keys.management, permissionsOf('management')),
  'made by the owner': async ({ owner }) => (await madeBy(owner, permissionsOf('management'))).key,
  'made through an application of the owner': async ({ owner }) =>
    madeThrough((await madeBy(owner, permissionsOf('management'))).key, permissionsOf('management')),
  'of the operator, with a key that the owner created': async ({ owner, tenant }) =>
    newKey(owner, idIn(await ask(tenant.keys.management, 'GET', '/applications/key'))),
  'of an admin, saved by the owner, with a new key': async ({ owner, admin }) => {
    const { id } = await madeBy(admin);
    await askPortal(owner, 'PUT', `/applications/${id}`, asUpdate(management(permissionsOf('management'))));
    return newKey(owner, id);
  },
  'with a key that it created for itself': async ({ owner }) => {
    const { id, key } = await madeBy(owner, permissionsOf('management'));
    return keyIn(await ask(key, 'POST', `/applications/${id}/keys`));
  },
};

describe.each(Object.keys(entrusted))('an application %s', (origin) => {
  it.each(Object.keys(acts))('%s', async (act) => {
    const world = await makeWorld();
    const key = (await entrusted[origin]?.(world)) ?? '';
    expect([200, 201, 204]).toContain(await acts[act]?.(world, key));
  });

  it('never removes the tenant at once', async () => {
    const world = await makeWorld();
    const key = (await entrusted[origin]?.(world)) ?? '';
    expect((await ask(key, 'DELETE', '/tenants/self?name=Test')).status).toBe(403);
    expect(await isOpen(world.tenant)).toBe(true);
  });
});

describe.each(['OWNER', 'ADMIN', 'READ_ONLY'] as const)('a member in the portal, %s', (role) => {
  let world: World;
  let person: TenantPerson;
  beforeAll(async () => {
    world = await makeWorld();
    person =
      role === 'OWNER' ? world.owner : role === 'ADMIN' ? world.admin : await signInAs(vault, world.tenant, role);
  });
  const expected = (success: number) => (role === 'OWNER' ? success : 403);

  it.each(['', '?name=Test', '?name=Other'])('deletes the tenant with "%s" only as the owner', async (query) => {
    const success = query === '?name=Other' ? 400 : 204;
    if (role === 'OWNER') world = await makeWorld();
    const by = role === 'OWNER' ? world.owner : person;
    expect((await askPortal(by, 'DELETE', `/tenants/self${query}`)).status).toBe(expected(success));
    if (role !== 'OWNER') expect(await isOpen(world.tenant)).toBe(true);
  });

  it('makes somebody else the owner only as the owner', async () => {
    world = await makeWorld();
    person =
      role === 'OWNER' ? world.owner : role === 'ADMIN' ? world.admin : await signInAs(vault, world.tenant, role);
    const { status } = await askPortal(person, 'PUT', `/tenants/self/members/${world.admin.memberId}`, {
      role: 'OWNER',
    });
    expect(status).toBe(expected(200));
    expect(await ownerOf(world.tenant)).toBe(role === 'OWNER' ? world.admin.userId : world.owner.userId);
  });

  it('never removes the owner', async () => {
    world = await makeWorld();
    person =
      role === 'OWNER' ? world.owner : role === 'ADMIN' ? world.admin : await signInAs(vault, world.tenant, role);
    const { status } = await askPortal(person, 'DELETE', `/tenants/self/members/${world.owner.memberId}`);
    expect(status).toBe(role === 'READ_ONLY' ? 403 : 422);
  });
});
