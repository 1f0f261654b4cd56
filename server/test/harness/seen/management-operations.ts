import { permissionsNeeded } from '../../../src/http/routes/route-config.ts';
import { toTemplate } from '../../../src/http/routes/route-template.ts';
import { createResource, listResources } from '../api-resources.ts';
import { anything, type ExpectedRecord, record } from './expected-record.ts';
import { randomRights } from './random-rights.ts';
import { recordable, refusalRecords, type SeenCaller, type SeenWorld } from './seen-world.ts';

interface Deed {
  readonly route: readonly [method: string, route: string, path: string];
  readonly body?: unknown;
  readonly entityType: string;
  /** The operation in the audit record, which is the same for a refusal. */
  readonly operation: string;
  readonly entityId?: string;
  /** Returns the records that a success creates, if they are not a single record of the operation. */
  readonly done?: (body: unknown) => readonly ExpectedRecord[];
}

/** Sends one request from a caller who may manage the tenant, or from one who may not. */
async function manage(world: SeenWorld, caller: SeenCaller, deed: Deed): Promise<unknown> {
  const { entityType, operation, entityId = '*' } = deed;
  const request = deed.body === undefined ? {} : { body: deed.body };
  const answer = await world.exchange(caller, deed.route, request, (got) => {
    if (got.status < 300) return deed.done?.(got.body) ?? [record(entityType, operation, entityId)];
    if (got.status === 409) return [record(entityType, operation, '*', { outcome: 'failed', details: { found: 1 } })];
    return refusalRecords(got, { entityType, operation, entityId: recordable(entityId) });
  });
  return answer.status < 300 ? answer.body : undefined;
}

const change = { details: 'change' } as const;
const idOf = (body: unknown) => (body as { id: string }).id;
const manager = (world: SeenWorld) => (world.random.chance(0.9) ? world.management : world.random.pick(world.callers));

/**
 * Takes an application and its keys through their life cycle, from creation to deletion. Some requests name an
 * application that does not exist.
 */
export async function manageApplication(world: SeenWorld): Promise<void> {
  const { random } = world;
  const entityType = 'application';
  const made = await manage(world, manager(world), {
    route: ['POST', '/applications', '/applications'],
    body: randomRights(random),
    entityType,
    operation: 'create',
    done: (body) => [record(entityType, 'create', idOf(body), change)],
  });
  const entityId = made === undefined ? random.uuid() : idOf(made);
  const path = `/applications/${entityId}`;
  const key = (made as { keys?: { id: string }[] } | undefined)?.keys?.[0]?.id ?? random.uuid();
  const keyId = random.chance(0.5) ? key : random.uuid();
  const updated = () => [record(entityType, 'update', entityId, change)];
  const deeds: Omit<Deed, 'entityType'>[] = [
    { route: ['GET', '/applications/{id}', path], operation: 'read', entityId },
    {
      route: ['PUT', '/applications/{id}', path],
      body: randomRights(random),
      operation: 'update',
      entityId,
      done: updated,
    },
    { route: ['GET', '/applications/{id}/keys', `${path}/keys`], operation: 'read', entityId },
    { route: ['POST', '/applications/{id}/keys', `${path}/keys`], operation: 'create', entityId, done: updated },
    { route: ['GET', '/applications/{id}/keys/{keyId}', `${path}/keys/${keyId}`], operation: 'read', entityId },
    {
      route: ['DELETE', '/applications/{id}/keys/{keyId}', `${path}/keys/${keyId}`],
      operation: 'delete',
      entityId,
      done: updated,
    },
    { route: ['GET', '/applications', '/applications?size=1'], operation: 'read' },
    {
      route: ['POST', '/access/explain', '/access/explain'],
      body: { application_id: entityId, container: '/' },
      operation: 'read',
      done: () => [record(entityType, 'read', entityId)],
    },
    { route: ['POST', '/access/who', '/access/who'], body: { container: '/' }, operation: 'read' },
    {
      route: ['POST', '/access/explain', '/access/explain'],
      body: { permissions: ['token:read'], token_id: random.uuid() },
      operation: 'read',
    },
  ];
  for (const deed of random.some(deeds, 0.4)) await manage(world, manager(world), { ...deed, entityType });
  if (random.chance(0.8)) {
    const deleted = () => [record(entityType, 'delete', entityId, change)];
    await manage(world, manager(world), {
      route: ['DELETE', '/applications/{id}', path],
      entityType,
      operation: 'delete',
      entityId,
      done: deleted,
    });
  }
}

/** Changes a caller's rights between its requests. */
export async function changeRights(world: SeenWorld): Promise<void> {
  const { applicationId: entityId } = world.random.pick(world.callers);
  await manage(world, world.management, {
    route: ['PUT', '/applications/{id}', `/applications/${entityId}`],
    body: randomRights(world.random),
    entityType: 'application',
    operation: 'update',
    done: () => [record('application', 'update', entityId, change)],
  });
}

export async function managePeople(world: SeenWorld): Promise<void> {
  const { random } = world;
  const invitations = '/tenants/self/invitations';
  const invite = async (email: string) =>
    manage(world, manager(world), {
      route: ['POST', invitations, invitations],
      body: { email },
      entityType: 'invitation',
      operation: 'create',
      done: (body) => [record('invitation', 'create', idOf(body))],
    });
  const email = `${random.uuid()}@example.com`;
  const made = await invite(email);
  if (made !== undefined && random.chance(0.3)) await invite(email);
  const entityId = made === undefined || random.chance(0.3) ? random.uuid() : idOf(made);
  const path = `${invitations}/${entityId}`;
  const member = random.uuid();
  const deeds: Deed[] = [
    { route: ['GET', invitations, `${invitations}?size=1`], entityType: 'invitation', operation: 'read' },
    { route: ['GET', `${invitations}/{id}`, path], entityType: 'invitation', operation: 'read', entityId },
    {
      route: ['POST', `${invitations}/{id}/resend`, `${path}/resend`],
      entityType: 'invitation',
      operation: 'update',
      entityId,
      done: () => [record('invitation', 'resend', entityId)],
    },
    { route: ['DELETE', `${invitations}/{id}`, path], entityType: 'invitation', operation: 'delete', entityId },
    {
      route: ['GET', '/tenants/self/members', '/tenants/self/members?size=1'],
      entityType: 'member',
      operation: 'read',
    },
    {
      route: ['PUT', '/tenants/self/members/{id}', `/tenants/self/members/${member}`],
      body: { role: 'ADMIN' },
      entityType: 'member',
      operation: 'update',
      entityId: member,
    },
    {
      route: ['DELETE', '/tenants/self/members/{id}', `/tenants/self/members/${member}`],
      entityType: 'member',
      operation: 'delete',
      entityId: member,
    },
  ];
  for (const deed of random.some(deeds, 0.4)) await manage(world, manager(world), deed);
  // A tenant can have only a limited number of invitations.
  await world.proxy.vault.database.owner.query('delete from invitations where tenant_id = $1', [world.proxy.tenant.id]);
}

export async function manageWebhooks(world: SeenWorld): Promise<void> {
  const { random } = world;
  const body = { name: 'Endpoint', url: 'https://events.example.com/', events: ['token.created'] };
  const made = await manage(world, manager(world), {
    route: ['POST', '/webhooks', '/webhooks'],
    body,
    entityType: 'webhook',
    operation: 'create',
    done: (created) => [record('webhook', 'create', idOf(created), { destination: 'events.example.com' })],
  });
  const entityId = made === undefined || random.chance(0.3) ? random.uuid() : idOf(made);
  const path = `/webhooks/${entityId}`;
  const of = { entityType: 'webhook', entityId } as const;
  const deeds: Deed[] = [
    { route: ['GET', '/webhooks', '/webhooks?size=1'], entityType: 'webhook', operation: 'read' },
    { route: ['GET', '/webhooks/{id}', path], ...of, operation: 'read' },
    { route: ['GET', '/webhooks/{id}/deliveries', `${path}/deliveries`], ...of, operation: 'read' },
    {
      route: ['PUT', '/webhooks/{id}', path],
      ...of,
      body,
      operation: 'update',
      done: () => [record('webhook', 'update', entityId, { destination: 'events.example.com' })],
    },
    {
      route: ['POST', '/webhooks/{id}/rotate-secret', `${path}/rotate-secret`],
      ...of,
      operation: 'update',
      done: () => [record('webhook', 'rotate', entityId)],
    },
    {
      route: ['POST', '/webhooks/{id}/resend', `${path}/resend`],
      ...of,
      body: { since: '2126-01-01T00:00:00Z' },
      operation: 'update',
      done: () => [record('webhook', 'resend', entityId)],
    },
    { route: ['DELETE', '/webhooks/{id}', path], ...of, operation: 'delete' },
  ];
  for (const deed of random.some(deeds, 0.4)) await manage(world, manager(world), deed);
  // A tenant can have only a limited number of webhooks.
  await world.proxy.vault.database.owner.query('delete from webhooks where tenant_id = $1', [world.proxy.tenant.id]);
}

export async function manageTenant(world: SeenWorld): Promise<void> {
  const { random, proxy } = world;
  const entityId = proxy.tenant.id;
  const self = '/tenants/self';
  const settings = random.chance(0.5) ? { settings: { note: random.uuid() } } : {};
  const configured = () => [record('tenant', 'settings' in settings ? 'configure' : 'update', entityId, change)];
  const nothing = () => [];
  const deeds: Deed[] = [
    { route: ['GET', self, self], entityType: 'tenant', operation: 'read', entityId },
    {
      route: ['PUT', self, self],
      body: { name: 'Seen', ...settings },
      entityType: 'tenant',
      operation: 'update',
      entityId,
      done: configured,
    },
    {
      route: ['GET', `${self}/owner`, `${self}/owner`],
      entityType: 'member',
      operation: 'read',
      done: (body) => [record('member', 'read', idOf(body))],
    },
    { route: ['GET', '/logs', '/logs?size=1'], entityType: 'log', operation: 'read' },
    { route: ['GET', '/logs/entity-types', '/logs/entity-types'], entityType: 'log', operation: 'read', done: nothing },
    { route: ['GET', '/logs/counts', '/logs/counts?by=operation'], entityType: 'log', operation: 'read' },
    { route: ['GET', '/logs/facets', '/logs/facets?limit=3'], entityType: 'log', operation: 'read' },
    { route: ['GET', '/logs/seal', '/logs/seal'], entityType: 'log', operation: 'read' },
    { route: ['GET', '/logs/exposure', '/logs/exposure?key_id=none'], entityType: 'log', operation: 'read' },
    {
      route: ['GET', '/logs/viewers', `/logs/viewers?token_id=${world.random.uuid()}`],
      entityType: 'log',
      operation: 'read',
      done: () => [record('log', 'read', '*', { details: { fields: ['entity_id', 'start_date'] } })],
    },
    {
      route: ['GET', '/applications/key', '/applications/key'],
      entityType: 'application',
      operation: 'read',
      done: (body) => [record('application', 'read', idOf(body))],
    },
    { route: ['GET', '/permissions', '/permissions'], entityType: 'application', operation: 'read', done: nothing },
    { route: ['GET', '/roles', '/roles'], entityType: 'application', operation: 'read', done: nothing },
    {
      route: ['GET', '/application-templates', '/application-templates'],
      entityType: 'application',
      operation: 'read',
      done: nothing,
    },
  ];
  await manage(world, manager(world), random.pick(deeds));
}

/** Routes that other operations of this model request, because their records need more than the declaration says. */
const ownRoutes =
  /^\/(?:tokens|v2|tokenize|detokenize|proxy|applications|access|sessions|keys|webhooks|ping|logs|permissions|roles|application-templates|tenants\/self(?:$|\/(?:members|invitations|owner)))/;

/**
 * Sends the first example of a route that no other operation requests. Its declaration determines the record: one of the
 * entity that its permission is about.
 */
export async function manageByExample(world: SeenWorld): Promise<void> {
  const route = world.random.pick(world.served.filter(({ url }) => !ownRoutes.test(toTemplate(url))));
  const template = toTemplate(route.url);
  const [permission = ''] = permissionsNeeded(route.config);
  const [subject = '', ...rest] = permission.split(':');
  const implied = subject === 'report' ? 'tenant' : rest.length > 1 ? (rest[0] ?? '') : subject;
  const entityType = route.config?.entityType ?? implied;
  const action = rest.at(-1) ?? '';
  const operation = ['create', 'update', 'delete', 'search'].includes(action) ? action : 'read';
  const resource = listResources(world.served).find((one) => template.startsWith(one.template));
  const { vault, tenant } = world.proxy;
  const entityId = resource === undefined ? '*' : await createResource(vault, tenant, resource);
  const { query = {}, body } = route.config?.examples?.find(({ status }) => status < 300)?.request ?? {};
  const search = new URLSearchParams(query).toString();
  await manage(world, manager(world), {
    route: [
      String(route.method),
      template,
      `${template.replace('{id}', entityId)}${search === '' ? '' : `?${search}`}`,
    ],
    ...(body === undefined ? {} : { body }),
    entityType,
    operation,
    entityId,
    done: () => [record(entityType, anything, anything, { details: anything, destination: anything })],
  });
}

/** Takes a session from creation to authorization. Its nonce is valid for one authorization. */
export async function manageSession(world: SeenWorld): Promise<void> {
  const { random, proxy } = world;
  const { keys } = proxy.tenant;
  const as = (key: string): SeenCaller => ({ key, keyId: undefined, applicationId: '' });
  const made = await manage(world, as(random.chance(0.9) ? keys.public : keys.private), {
    route: ['POST', '/sessions', '/sessions'],
    entityType: 'session',
    operation: 'create',
    done: () => [record('session', 'create', anything)],
  });
  const nonce = (made as { nonce?: string } | undefined)?.nonce;
  const authorize = (given: string) =>
    manage(world, as(random.chance(0.9) ? keys.reveal : keys.public), {
      route: ['POST', '/sessions/authorize', '/sessions/authorize'],
      body: { nonce: given, ...sessionRights(random.pick(['redact', 'mask', 'reveal'])) },
      entityType: 'session',
      operation: 'authorize',
      done: () => [record('session', 'authorize', anything, change)],
    });
  // The nonce of a session that never existed has the same form as the others.
  await authorize(nonce === undefined || random.chance(0.2) ? `sess_${'a'.repeat(43)}` : nonce);
  if (nonce !== undefined && random.chance(0.3)) await authorize(nonce);
  const { session_key: key } = (made ?? {}) as { session_key?: string };
  if (key !== undefined && random.chance(0.5)) world.sessions.push({ key, keyId: undefined, applicationId: '' });
}

/** Creates, reads and deletes keys with which clients encrypt. */
export async function manageClientKeys(world: SeenWorld): Promise<void> {
  const { random } = world;
  const made = await manage(world, manager(world), {
    route: ['POST', '/keys', '/keys'],
    body: {},
    entityType: 'client_key',
    operation: 'create',
    done: (body) => [record('client_key', 'create', idOf(body))],
  });
  const entityId = made === undefined || random.chance(0.3) ? random.uuid() : idOf(made);
  const deeds: Deed[] = [
    { route: ['GET', '/keys', '/keys'], entityType: 'client_key', operation: 'read' },
    { route: ['GET', '/keys/{id}', `/keys/${entityId}`], entityType: 'client_key', operation: 'read', entityId },
    { route: ['DELETE', '/keys/{id}', `/keys/${entityId}`], entityType: 'client_key', operation: 'delete', entityId },
  ];
  for (const deed of random.some(deeds, 0.6)) await manage(world, manager(world), deed);
}

export function sessionRights(transform: string): object {
  return {
    rules: [
      {
        description: '',
        priority: 1,
        conditions: [{ attribute: 'container', operator: 'starts_with', value: '/a/' }],
        transform,
        permissions: ['token:create', 'token:read', 'token:search', 'token:update', 'token:delete'],
      },
    ],
  };
}

/** Sends requests with an unknown key, and requests to unknown paths. They create no record. */
export async function askAmiss(world: SeenWorld): Promise<void> {
  const stranger = { key: 'key_test_us_pvt_nonsense', keyId: undefined, applicationId: '' };
  if (world.random.chance(0.5))
    await world.exchange(stranger, ['GET', '/tokens/{id}', `/tokens/${world.anyId()}`], {}, () => []);
  else await world.exchange(world.management, ['GET', '/nowhere', '/nowhere'], {}, () => []);
}
