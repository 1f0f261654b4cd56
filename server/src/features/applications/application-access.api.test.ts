import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../core/access/permission.ts';
import { withoutTraceId } from '../../../test/harness/problem-text.ts';
import { createApplication, recordsOf, type TestApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let application: TestApplication;
let foreign: TestApplication;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  application = await createApplication(vault, tenant);
  foreign = await createApplication(vault, await vault.makeTenant());
});
afterAll(() => vault.stop());

const body = { name: 'Test', type: 'private', permissions: ['token:read'] };
interface Endpoint {
  readonly method: string;
  /** `{id}` is replaced by the id of an application, `{key}` by the id of one of its keys. */
  readonly path: string;
  readonly permission: string;
  readonly body?: object;
}
const endpoints: Endpoint[] = [
  { method: 'POST', path: '/applications', permission: 'application:create', body },
  { method: 'GET', path: '/applications', permission: 'application:read' },
  { method: 'GET', path: '/applications/{id}', permission: 'application:read' },
  { method: 'PUT', path: '/applications/{id}', permission: 'application:update', body },
  { method: 'DELETE', path: '/applications/{id}', permission: 'application:delete' },
  { method: 'POST', path: '/applications/{id}/keys', permission: 'application:create' },
  { method: 'GET', path: '/applications/{id}/keys', permission: 'application:read' },
  { method: 'GET', path: '/applications/{id}/keys/{key}', permission: 'application:read' },
  { method: 'DELETE', path: '/applications/{id}/keys/{key}', permission: 'application:delete' },
];
const withKey = ['/applications/key', '/permissions', '/roles', '/application-templates'];

const call = (endpoint: Endpoint, target: { id: string; keyId: string }, key?: string) =>
  vault.request(endpoint.method, endpoint.path.replace('{id}', target.id).replace('{key}', target.keyId), {
    ...(key === undefined ? {} : { key }),
    ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
    headers: { 'bt-trace-id': 'same' },
  });

describe('without a key', () => {
  it.each(endpoints)('401 for $method $path', async (endpoint) => {
    const answer = await call(endpoint, application);
    expect(answer).toMatchObject({ status: 401, body: { type: '/docs/errors/unauthenticated', status: 401 } });
  });

  it.each(withKey)('401 for GET %s', async (path) => {
    expect((await vault.request('GET', path)).status).toBe(401);
  });
});

describe('with every permission but one', () => {
  it.each(endpoints)('403 for $method $path without $permission, and nothing happens', async (endpoint) => {
    const permissions = permissionsOf('management').filter((permission) => permission !== endpoint.permission);
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions });
    const before = await recordsOf(vault, tenant, application.id);
    const answer = await call(endpoint, application, key);
    expect(answer).toMatchObject({
      status: 403,
      body: { type: '/docs/errors/forbidden', detail: `Missing permission: ${endpoint.permission}` },
    });
    const after = await recordsOf(vault, tenant, application.id);
    const successes = (records: typeof before) => records.filter(({ outcome }) => outcome === 'success');
    expect(successes(after)).toEqual(successes(before));
    expect((await vault.request('GET', '/applications/key', { key: application.key })).status).toBe(200);
  });

  it.each(endpoints)('$method $path is allowed by $permission alone', async (endpoint) => {
    const target = await createApplication(vault, tenant);
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions: [endpoint.permission] });
    const answer = await call(endpoint, target, key);
    expect([200, 201, 204]).toContain(answer.status);
  });

  it.each(endpoints)('403 for $method $path with a key that may do anything with tokens', async (endpoint) => {
    expect((await call(endpoint, application, tenant.keys.private)).status).toBe(403);
  });
});

describe('with an id that names nothing', () => {
  const named = endpoints.filter(({ path }) => path.includes('{id}'));

  it.each(named)('404 for $method $path in the same bytes, whatever the id is', async (endpoint) => {
    const random = { id: crypto.randomUUID(), keyId: crypto.randomUUID() };
    const before = await vault.auditRecords(tenant.id);
    const targets = [
      random,
      foreign,
      { ...random, id: foreign.id },
      { ...random, keyId: foreign.keyId },
      ...['nonsense', '0', 'null', '%00', '%F0%9F%97%9D', `${crypto.randomUUID()}x`, 'x'.repeat(4_000)].map((id) => ({
        id,
        keyId: id,
      })),
      { ...random, keyId: 'nonsense' },
    ];
    const answers = await Promise.all(targets.map((target) => call(endpoint, target, tenant.keys.management)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${withoutTraceId(text)}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 404,
      body: { type: '/docs/errors/not-found', instance: expect.any(String) },
    });
    const sent = answers.map(({ headers }) => [...headers].filter(([name]) => name !== 'date'));
    expect(new Set(sent.map((headers) => JSON.stringify(headers))).size).toBe(1);
    const misses = (await vault.auditRecords(tenant.id)).slice(before.length);
    expect(misses).toMatchObject(targets.map(() => ({ entity_type: 'application', outcome: 'missed' })));
    expect(JSON.stringify(misses)).not.toContain('nonsense');
  });

  it('leaves the other tenant untouched', async () => {
    expect((await vault.request('GET', '/applications/key', { key: foreign.key })).status).toBe(200);
  });

  it('does not list what belongs to another tenant', async () => {
    const answer = await vault.request('GET', '/applications?size=100', { key: tenant.keys.management });
    expect(answer.text).not.toContain(foreign.id);
    expect(answer.text).toContain(application.id);
  });
});
