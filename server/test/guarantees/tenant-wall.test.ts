import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeClientKey } from '../harness/make-client-key.ts';
import { createApplication } from '../harness/test-application.ts';
import { type ApiResource, createResource, listResources } from '../harness/api-resources.ts';
import { tapApi } from '../harness/route-tap.ts';
import { type Estate, isReading, nameOf, TenantWall } from '../harness/tenant-wall.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { addDelivery } from '../harness/webhook-delivery.ts';

/** Each case has its own vault, because some cases remove parts of the wall. */
let vault: TestVault;
let resources: readonly ApiResource[];
let wall: TenantWall;
let victim: Estate;
let victimId: string;
let intruder: Estate;
let victimAlias: string;

beforeEach(async () => {
  const tapped = await tapApi(() => TestVault.start());
  vault = tapped.started;
  resources = listResources(tapped.routes);
  const document = (await vault.request('GET', '/openapi.json')).body;
  wall = new TenantWall(vault.server.url, document, resources);
  const [a, b] = [await vault.makeTenant(), await vault.makeTenant()];
  victim = await settle(a);
  intruder = await settle(b);
  victimId = a.id;
  victimAlias = `order ${crypto.randomUUID()}`;
  const body = { id: victimAlias, type: 'token', data: 'under an id of its own' };
  expect((await vault.request('POST', '/tokens', { key: a.keys.reveal, body })).status).toBe(201);
});
afterEach(async () => {
  wall.close();
  await vault.stop();
});

describe('the wall between tenants', () => {
  it('answers for everything of another tenant as for what nobody has, and leaves it as it was', async () => {
    expect(await wall.listReadable(victim)).toEqual(readableRoutes());
    const before = await fingerprintOf(victimId);
    expect(await examine()).toEqual(intact);
    expect(await fingerprintOf(victimId)).toEqual(before);
  });

  it('holds with row-level security switched off: every statement names its tenant', async () => {
    await switchOffRowLevelSecurity();
    const before = await fingerprintOf(victimId);
    expect(await examine()).toEqual(intact);
    expect(await fingerprintOf(victimId)).toEqual(before);
  });

  it('holds when stores forget the tenant: row-level security filters', async () => {
    const before = await fingerprintOf(victimId);
    const patch = forgetTenantInStatements();
    try {
      expect(await examine()).toEqual(intact);
      expect([...patch.tables].sort()).toEqual(expect.arrayContaining(['application_keys', 'applications', 'tokens']));
    } finally {
      patch.undo();
    }
    expect(await fingerprintOf(victimId)).toEqual(before);
  });

  it('is seen to be broken when both are gone', async () => {
    await switchOffRowLevelSecurity();
    const patch = forgetTenantInStatements();
    try {
      const { leaks } = await examine();
      for (const route of wall.routes) expect(leaks.map(routeOf)).toContain(nameOf(route));
      expect(leaks).toContain('GET /tokens/{id} with the token');
      expect(leaks).toContain('GET /tokens/{id} with the alias');
    } finally {
      patch.undo();
    }
  });

  it('lets both tenants use one id, each for a token of its own', async () => {
    const [key] = intruder.keys;
    const body = { id: victim.ids['token'], type: 'token', data: 'of the second' };
    expect((await vault.request('POST', '/tokens', { key: key ?? '', body })).status).toBe(201);
    const path = `/tokens/${victim.ids['token']}`;
    const [own, other] = await Promise.all(
      [intruder, victim].map(({ keys }) => vault.request('GET', path, { key: keys[0] ?? '' })),
    );
    expect(own?.body).toMatchObject({ data: 'of the second' });
    expect(other?.body).toMatchObject({ data: 'of the first', tenant_id: victimId });
  });
});

describe('the list of routes', () => {
  it('stops on a parameter that nobody has thought about', () => {
    const document = { paths: { '/vaults/{vaultId}/doors': { get: {} } } };
    expect(() => new TenantWall('http://localhost', document)).toThrow(
      'vaults/{vaultId} in GET /vaults/{vaultId}/doors',
    );
  });

  it('names a route on which no key got as far as a look-up', async () => {
    const unreachable = new TenantWall(vault.server.url, {
      paths: {
        '/applications/{id}': {
          put: { requestBody: { content: { 'application/json': { schema: { type: 'integer' } } } } },
        },
      },
    });
    expect(await unreachable.examine(intruder, victim, {})).toMatchObject({ unproven: ['PUT /applications/{id}'] });
    unreachable.close();
  });
});

const intact = { comparisons: expect.any(Number), leaks: [], unproven: [] };
const routeOf = (leak: string) => leak.slice(0, leak.indexOf(' with '));
const readableRoutes = () => wall.routes.filter(isReading).map(nameOf);

const examine = () => wall.examine(intruder, victim, { tenant: victimId, alias: victimAlias });

/** What `settle` creates itself, because other ids belong to it or because its example can be sent only once. */
const ownPlaces: ReadonlySet<string> = new Set(['applications/{id}', 'invitations/{id}', 'keys/{id}']);

/** Creates one of everything for a tenant. */
async function settle(tenant: TestTenant): Promise<Estate> {
  const { keys } = tenant;
  const body = { type: 'token', data: 'of the first' };
  const token = await vault.request('POST', '/tokens', { key: keys.reveal, body });
  const application = await createApplication(vault, tenant);
  const owner = await vault.request('GET', '/tenants/self/owner', { key: keys.management });
  const invited = { email: `${crypto.randomUUID()}@example.com` };
  const invitation = await vault.request('POST', '/tenants/self/invitations', { key: keys.management, body: invited });
  await vault.request('POST', '/sessions', { key: keys.public });
  const sessions = await vault.request('GET', '/sessions', { key: keys.management });
  const clientKey = await makeClientKey(vault, tenant);
  const derived: Record<string, string> = {};
  for (const resource of resources.filter(({ place }) => !ownPlaces.has(place)))
    derived[resource.place] = await createResource(vault, tenant, resource);
  const delivery = crypto.randomUUID();
  const webhookId = derived['webhooks/{id}'] ?? '';
  await addDelivery(vault.database.owner, { tenantId: tenant.id, webhookId, id: delivery });
  return {
    ids: {
      ...derived,
      delivery,
      token: (token.body as { id: string }).id,
      application: application.id,
      key: application.keyId,
      member: (owner.body as { id: string }).id,
      invitation: (invitation.body as { id: string }).id,
      session: (sessions.body as { data: { id: string }[] }).data[0]?.id ?? '',
      'client-key': clientKey.key_id,
    },
    keys: [keys.reveal, keys.private, keys.public, keys.management],
  };
}

/** Returns a fingerprint of everything stored about a tenant, except for the times at which its keys were last used. */
async function fingerprintOf(tenantId: string): Promise<Record<string, string>> {
  const { rows } = await vault.database.owner.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid
      where attname = 'tenant_id' and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const prints: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: found } = await vault.database.owner.query<{ print: string }>(
      `select count(*) || ' ' || md5(string_agg(fields, ' ' order by fields)) as print
        from (select (to_jsonb(t) - 'last_used_at')::text as fields from ${name} t where tenant_id = $1) as rows`,
      [tenantId],
    );
    prints[name] = found[0]?.print ?? '';
  }
  return prints;
}

async function switchOffRowLevelSecurity(): Promise<void> {
  const { owner } = vault.database;
  const { rows } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { name } of rows) {
    await owner.query(`alter table ${name} disable row level security, no force row level security`);
  }
}

/** Removes the tenant from the condition of every statement sent to PostgreSQL, as a careless store would. */
function forgetTenantInStatements(): { readonly tables: ReadonlySet<string>; undo(): void } {
  interface Query {
    readonly name?: string;
    readonly text: string;
  }
  const prototype = pg.Client.prototype as { query: (this: pg.Client, ...parameters: unknown[]) => unknown };
  const original = prototype.query;
  const tables = new Set<string>();
  prototype.query = function (query, ...rest) {
    const { name, text = '' } = typeof query === 'object' && query !== null ? (query as Query) : {};
    const careless = text.replaceAll(/\b(\w+\.)?tenant_id = \$1\b(::uuid)?/g, () => '$1::uuid is not null');
    if (careless === text) return original.call(this, query, ...rest);
    for (const [, table] of text.matchAll(/\b(?:from|update) (\w+)/g)) if (table !== undefined) tables.add(table);
    // The text of a prepared statement is bound to its name, so the careless statement needs another name.
    const rewritten = {
      ...(query as Query),
      text: careless,
      ...(name === undefined ? {} : { name: `careless-${name}` }),
    };
    return original.call(this, rewritten, ...rest);
  };
  return {
    tables,
    undo: () => {
      prototype.query = original;
    },
  };
}
