import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { createApplication, fieldsOf } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A management application with a `grant_limit` tries to grant more than that: by creating or changing applications, by
 * taking over keys of others, and by granting the right to grant.
 */
let vault: TestVault;
let tenant: TestTenant;
let deputy: { id: string; key: string; keyId: string };
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  deputy = await makeDeputy();
});
afterAll(() => vault.stop());

const limit = {
  permissions: ['token:create', 'token:read', 'token:update', 'application:create', 'application:read'],
  containers: ['/shop/', '/pci/low/'],
  transform: 'mask',
};
const managing = ['application:create', 'application:read', 'application:update', 'application:delete'];
const makeDeputy = (changes: object = {}) =>
  createApplication(vault, tenant, {
    type: 'management',
    permissions: managing,
    grant_limit: { ...limit, ...changes },
  });

const ask = (key: string, method: string, path: string, body?: object) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const asDeputy = (method: string, path: string, body?: object) => ask(deputy.key, method, path, body);
const asOwner = (method: string, path: string, body?: object) => ask(tenant.keys.management, method, path, body);
const rule = (changes: object = {}) => ({
  priority: 1,
  container: '/shop/',
  transform: 'mask',
  permissions: ['token:read'],
  ...changes,
});
const idOf = ({ body }: TestResponse) => (body as { id: string }).id;
const countApplications = async () =>
  ((await asOwner('GET', '/applications?size=1')).body as { pagination: { total_items: number } }).pagination
    .total_items;

/** Rights that exceed the limit, each in a different way. */
const beyond: [string, object, string][] = [
  ['reads everything', { permissions: ['token:read'] }, 'container / for token:read'],
  ['creates everywhere', { permissions: ['token:create'] }, 'container / for token:create'],
  ['uses plaintext', { permissions: ['token:use'] }, 'permission token:use'],
  ['deletes', { rules: [rule({ permissions: ['token:delete'] })] }, 'permission token:delete'],
  ['reveals by a rule', { rules: [rule({ transform: 'reveal' })] }, 'transform reveal for token:read'],
  ['reads another container', { rules: [rule({ container: '/pci/' })] }, 'container /pci/ for token:read'],
  ['reads the root', { rules: [rule({ container: '/' })] }, 'container / for token:read'],
  ['reads a name that only begins alike', { rules: [rule({ container: '/shopping/' })] }, 'container /shopping/'],
  ['hides one rule among good ones', { rules: [rule(), rule({ priority: 2, container: '/pii/' })] }, 'container /pii/'],
  ['reads the log', { type: 'management', permissions: ['log:read'] }, 'permission log:read'],
  ['invites people', { type: 'management', permissions: ['tenant:invitation:create'] }, 'permission tenant:invitation'],
  [
    'changes applications',
    { type: 'management', permissions: ['application:update'] },
    'permission application:update',
  ],
  [
    'hands out by a rule',
    { type: 'management', rules: [rule({ permissions: ['application:update'] })] },
    'application:update',
  ],
];
/** Management applications that a limited one tries to create with a wider limit than its own. */
const wider: [string, object, string][] = [
  ['permissions', { permissions: [...limit.permissions, 'token:use'] }, 'permission token:use in grant_limit'],
  ['containers', { containers: ['/'] }, 'container / in grant_limit'],
  ['one more container', { containers: ['/shop/', '/pii/'] }, 'container /pii/ in grant_limit'],
  ['transform', { transform: 'reveal' }, 'transform reveal in grant_limit'],
];

describe('POST /applications by a capped application', () => {
  it.each(beyond)('403 for one that %s, and nothing is created', async (_name, rights, excess) => {
    const before = await countApplications();
    const answer = await asDeputy('POST', '/applications', { name: 'More', type: 'private', ...rights });
    expect(answer.status).toBe(403);
    expect((answer.body as { detail: string }).detail).toContain(excess);
    expect(await countApplications()).toBe(before);
  });

  it.each(wider)('403 for another deputy with more %s', async (_name, changes, excess) => {
    const body = { name: 'Deputy', type: 'management', permissions: ['application:create'] };
    const answer = await asDeputy('POST', '/applications', { ...body, grant_limit: { ...limit, ...changes } });
    expect(answer.status).toBe(403);
    expect((answer.body as { detail: string }).detail).toContain(excess);
  });

  it('403 is recorded as a denied attempt', async () => {
    await asDeputy('POST', '/applications', { name: 'More', type: 'private', permissions: ['token:use'] });
    const denied = (await vault.auditRecords(tenant.id)).filter(
      ({ actor_id, outcome }) => actor_id === deputy.id && outcome === 'denied',
    );
    expect(denied.at(-1)).toMatchObject({ entity_type: 'application', operation: 'create' });
  });

  it.each([
    ['a masked reader of its container', { rules: [rule()] }],
    ['a writer further down', { rules: [rule({ container: '/pci/low/shop/', permissions: ['token:create'] })] }],
    ['one that shows less', { rules: [rule({ transform: 'redact' })] }],
  ])('201 for %s', async (_name, rights) => {
    const answer = await asDeputy('POST', '/applications', { name: 'Less', type: 'private', ...rights });
    expect(answer.status).toBe(201);
  });

  it('201 for another deputy, which inherits the limit and is held to it', async () => {
    const body = { name: 'Deputy', type: 'management', permissions: ['application:create'] };
    const second = await asDeputy('POST', '/applications', body);
    expect(second).toMatchObject({ status: 201, body: { grant_limit: limit } });
    const { key } = second.body as { key: string };
    const more = { name: 'More', type: 'private', permissions: ['token:use'] };
    expect((await ask(key, 'POST', '/applications', more)).status).toBe(403);
  });

  it('403 for plain token:update of a private application, which amounts to plaintext', async () => {
    const { key } = await makeDeputy({ containers: ['/'] });
    const make = (type: string) =>
      ask(key, 'POST', '/applications', { name: 'Author', type, permissions: ['token:update'] });
    expect((await make('private')).status).toBe(403);
    expect((await make('public')).status).toBe(201);
  });

  it('403 for token:use, even if the limit names it, unless it reveals', async () => {
    const uses = { name: 'Use', type: 'private', permissions: ['token:use'] };
    const permissions = ['token:use'];
    const masked = await makeDeputy({ permissions, containers: ['/'] });
    expect((await ask(masked.key, 'POST', '/applications', uses)).status).toBe(403);
    const revealing = await makeDeputy({ permissions, containers: ['/'], transform: 'reveal' });
    expect((await ask(revealing.key, 'POST', '/applications', uses)).status).toBe(201);
  });
});

describe('PUT /applications/{id} by a capped application', () => {
  const isOfType = (type: string) => (rights: object) => ('type' in rights ? rights.type : 'private') === type;
  it.each(beyond.filter(([, rights]) => isOfType('private')(rights)))(
    '403 for turning its own creation into one that %s',
    async (_name, rights) => {
      const made = await asDeputy('POST', '/applications', { name: 'Small', type: 'private', rules: [rule()] });
      const answer = await asDeputy('PUT', `/applications/${idOf(made)}`, { name: 'Large', ...rights });
      expect(answer.status).toBe(403);
      expect((await asOwner('GET', `/applications/${idOf(made)}`)).body).toMatchObject({ name: 'Small' });
    },
  );

  it.each(wider)('403 for raising the limit of its own deputy: %s', async (_name, changes) => {
    const body = { name: 'Deputy', permissions: ['application:create'] };
    const made = await asDeputy('POST', '/applications', { ...body, type: 'management' });
    const raised = { ...body, grant_limit: { ...limit, ...changes } };
    expect((await asDeputy('PUT', `/applications/${idOf(made)}`, raised)).status).toBe(403);
  });

  it.each([
    ['its limit', { grant_limit: { ...limit, transform: 'reveal' } }],
    ['its limit to everything', { grant_limit: { permissions: managing, containers: ['/'], transform: 'reveal' } }],
    ['its permissions', { permissions: [...managing, 'log:read'] }],
    ['its name, with the rights it has', {}],
  ])('403 for changing itself: %s', async (_name, changes) => {
    const body = { name: 'Deputy', permissions: managing, ...changes };
    expect((await asDeputy('PUT', `/applications/${deputy.id}`, body)).status).toBe(403);
  });

  it('403 for an application that exceeds it, even to make that smaller', async () => {
    const large = await createApplication(vault, tenant, { permissions: ['token:read', 'token:use'] });
    const body = { name: 'Mine', rules: [rule()] };
    expect((await asDeputy('PUT', `/applications/${large.id}`, body)).status).toBe(403);
  });

  it('200 within the limit', async () => {
    const made = await asDeputy('POST', '/applications', { name: 'Small', type: 'private', rules: [rule()] });
    const body = { name: 'Other', rules: [rule({ container: '/pci/low/' })] };
    expect(await asDeputy('PUT', `/applications/${idOf(made)}`, body)).toMatchObject({ status: 200, body });
  });
});

describe('keys and deletion by a capped application', () => {
  it.each([
    ['one that uses plaintext', { permissions: ['token:use'] }],
    ['one that reveals', { permissions: [], rules: [rule({ transform: 'reveal' })] }],
    ['the management application of the owner', { type: 'management', permissions: managing }],
    [
      'a wider deputy',
      { type: 'management', permissions: ['application:create'], grant_limit: { ...limit, transform: 'reveal' } },
    ],
  ])('403 for a key of %s, for revoking its key and for deleting it', async (_name, rights) => {
    const large = await createApplication(vault, tenant, rights);
    const path = `/applications/${large.id}`;
    const answers = [
      await asDeputy('POST', `${path}/keys`),
      await asDeputy('DELETE', `${path}/keys/${large.keyId}`),
      await asDeputy('DELETE', path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await asOwner('GET', `${path}/keys`)).body).toHaveLength(1);
  });

  it('its own keys can be replaced, and what lies within can be managed', async () => {
    const own = await makeDeputy();
    const added = await ask(own.key, 'POST', `/applications/${own.id}/keys`);
    expect(added.status).toBe(201);
    const { key } = added.body as { key: string };
    expect((await ask(key, 'DELETE', `/applications/${own.id}/keys/${own.keyId}`)).status).toBe(204);
    const made = await ask(key, 'POST', '/applications', { name: 'Small', type: 'private', rules: [rule()] });
    expect((await ask(key, 'POST', `/applications/${idOf(made)}/keys`)).status).toBe(201);
    expect((await ask(key, 'DELETE', `/applications/${idOf(made)}`)).status).toBe(204);
  });

  it('404 for what does not exist, or belongs to another tenant', async () => {
    const other = await vault.makeTenant();
    const foreign = await createApplication(vault, other, { permissions: ['token:use'] });
    for (const id of [foreign.id, crypto.randomUUID()]) {
      expect((await asDeputy('POST', `/applications/${id}/keys`)).status).toBe(404);
      expect((await asDeputy('DELETE', `/applications/${id}`)).status).toBe(404);
      expect((await asDeputy('PUT', `/applications/${id}`, { name: 'x', rules: [rule()] })).status).toBe(404);
    }
  });
});

describe('grant_limit', () => {
  it('is shown, and an update that leaves it out or says null does not lift it', async () => {
    const { id, key } = await makeDeputy();
    const body = { name: 'Renamed', permissions: managing };
    for (const update of [body, { ...body, grant_limit: null }]) {
      expect(await asOwner('PUT', `/applications/${id}`, update)).toMatchObject({
        status: 200,
        body: { grant_limit: limit },
      });
    }
    expect((await ask(key, 'GET', '/applications/key')).body).toMatchObject({ grant_limit: limit });
  });

  it('of an application is set, narrowed and widened by the owner, and holds at once', async () => {
    const { id, key } = await createApplication(vault, tenant, { type: 'management', permissions: managing });
    const make = () => ask(key, 'POST', '/applications', { name: 'Use', type: 'private', permissions: ['token:use'] });
    const becomes = (status: number) =>
      untilTrue(async () => (await make()).status === status, { waitingFor: String(status) });
    expect((await make()).status).toBe(201);
    await asOwner('PUT', `/applications/${id}`, { name: 'Capped', permissions: managing, grant_limit: limit });
    await becomes(403);
    const all = { permissions: ['token:use'], containers: ['/'], transform: 'reveal' };
    await asOwner('PUT', `/applications/${id}`, { name: 'Wide', permissions: managing, grant_limit: all });
    await becomes(201);
  });

  it.each([
    ['on a private application', { type: 'private', permissions: ['token:read'], grant_limit: limit }, 'grant_limit'],
    ['without a transform', { grant_limit: { permissions: [], containers: ['/'] } }, 'grant_limit'],
    ['without containers', { grant_limit: { permissions: [], transform: 'mask' } }, 'grant_limit'],
    ['with no container', { grant_limit: { ...limit, containers: [] } }, 'grant_limit'],
    ['with a bad container', { grant_limit: { ...limit, containers: ['shop'] } }, 'grant_limit.containers.0'],
    ['with an unknown permission', { grant_limit: { ...limit, permissions: ['token:fly'] } }, 'grant_limit'],
  ])('400 %s', async (_name, changes, field) => {
    const body = { name: 'x', type: 'management', permissions: managing, ...changes };
    const answer = await asOwner('POST', '/applications', body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer).join()).toContain(field);
  });
});

describe('POST /access/explain', () => {
  const explain = async (id: string) =>
    (await asOwner('POST', '/access/explain', { application_id: id, container: '/' })).body as {
      hands_out?: { is_limited: boolean; limit?: object; reach: string[] };
    };

  it('says that a management application without a limit can give every right', async () => {
    const { id } = await createApplication(vault, tenant, { type: 'management', permissions: ['application:create'] });
    const { hands_out } = await explain(id);
    expect(hands_out).toMatchObject({ is_limited: false });
    expect(hands_out?.reach.join()).toMatch(/any permission, including reading all plaintext/);
  });

  it('shows the limit of one that has it, and names what no limit caps', async () => {
    const permissions = [...managing, 'tenant:invitation:create'];
    const { id } = await createApplication(vault, tenant, { type: 'management', permissions, grant_limit: limit });
    const { hands_out } = await explain(id);
    expect(hands_out).toMatchObject({ is_limited: true, limit });
    expect(hands_out?.reach.join()).toMatch(/approve exports of plaintext/);
  });

  it('says nothing of the kind about those that hand out nothing', async () => {
    const reader = await createApplication(vault, tenant, { type: 'management', permissions: ['log:read'] });
    const service = await createApplication(vault, tenant);
    for (const { id } of [reader, service]) expect(await explain(id)).not.toHaveProperty('hands_out');
  });
});
