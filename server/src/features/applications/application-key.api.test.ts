import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import {
  createApplication,
  recordsOf,
  type TestApplication,
  utcTimestamp,
  uuidV4,
} from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let application: TestApplication;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  application = await createApplication(vault, tenant);
});
afterAll(() => vault.stop());

const manage = (method: string, path: string) => vault.request(method, path, { key: tenant.keys.management });
const statusOf = async (key: string) => (await vault.request('GET', '/applications/key', { key })).status;

describe('POST /applications/{id}/keys', () => {
  it('201 answers with the key and its secret, once, and records the change', async () => {
    const own = await createApplication(vault, tenant);
    const manager = (await manage('GET', '/applications/key')).body as { id: string };
    const answer = await manage('POST', `/applications/${own.id}/keys`);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuidV4),
      key: expect.stringMatching(/^key_test_pvt_[1-9A-HJ-NP-Za-km-z]{66}_[1-9A-HJ-NP-Za-km-z]{6}$/),
      version: '1',
      created_by: manager.id,
      created_at: expect.stringMatching(utcTimestamp),
      last_used_at: null,
    });
    expect(await recordsOf(vault, tenant, own.id)).toMatchObject([
      { operation: 'create' },
      { entity_type: 'application', operation: 'update', outcome: 'success', actor_id: manager.id },
    ]);
    const { id, key } = answer.body as { id: string; key: string };
    const again = await manage('GET', `/applications/${own.id}/keys/${id}`);
    expect(again.text).not.toContain(key);
    expect([await statusOf(key), await statusOf(own.key)]).toEqual([200, 200]);
  });

  it.each<[string, { rawBody?: string; headers?: Record<string, string> }]>([
    ['no content type', {}],
    ['an empty form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a form', { rawBody: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['an empty object', { rawBody: '{}' }],
    ['an empty body that claims to be JSON', { rawBody: '' }],
    ['a JSON patch', { rawBody: '{}', headers: { 'content-type': 'application/json-patch+json' } }],
    ['an empty JSON patch', { rawBody: '', headers: { 'content-type': 'application/json-patch+json' } }],
  ])('201 with %s', async (_name, request) => {
    const own = await createApplication(vault, tenant);
    const answer = await vault.request('POST', `/applications/${own.id}/keys/`, {
      key: tenant.keys.management,
      ...request,
    });
    expect(answer).toMatchObject({ status: 201, body: { version: '1' } });
  });

  it('400 refuses an eleventh key, however many are asked for at the same time', async () => {
    const own = await createApplication(vault, tenant);
    const answers = await Promise.all(Array.from({ length: 20 }, () => manage('POST', `/applications/${own.id}/keys`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(11);
    expect((await manage('GET', `/applications/${own.id}/keys`)).body).toHaveLength(10);
    const changes = (await recordsOf(vault, tenant, own.id)).filter(({ operation }) => operation === 'update');
    expect(changes).toHaveLength(9);
  });

  it('201 or 404 while the application is being deleted, and leaves no key without one', async () => {
    const own = await createApplication(vault, tenant);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => manage('POST', `/applications/${own.id}/keys`)),
      manage('DELETE', `/applications/${own.id}`),
      ...Array.from({ length: 4 }, () => manage('POST', `/applications/${own.id}/keys`)),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => ![201, 204, 404].includes(status))).toEqual([]);
    const { rows } = await vault.database.owner.query('select from application_keys where application_id = $1', [
      own.id,
    ]);
    expect(rows).toHaveLength(0);
  });
});

describe('GET /applications/{id}/keys', () => {
  it('200 answers with a plain array, newest first and without secrets, and records the reading', async () => {
    const own = await createApplication(vault, tenant);
    const second = (await manage('POST', `/applications/${own.id}/keys`)).body as { id: string };
    const answer = await manage('GET', `/applications/${own.id}/keys`);
    expect(answer.status).toBe(200);
    const keys = answer.body as { id: string; created_at: string }[];
    expect(keys.map(({ id }) => id).toSorted()).toEqual([own.keyId, second.id].toSorted());
    const places = keys.map(({ created_at, id }) => `${created_at} ${id}`);
    expect(places).toEqual(places.toSorted().toReversed());
    for (const key of keys)
      expect(Object.keys(key).toSorted()).toEqual(['created_at', 'created_by', 'id', 'last_used_at', 'version']);
    expect(await recordsOf(vault, tenant, own.id)).toMatchObject([
      { operation: 'create' },
      { operation: 'update' },
      { entity_type: 'application', operation: 'read', outcome: 'success' },
    ]);
  });

  it('200 says when each key was last used, as do the application and the key', async () => {
    const own = await createApplication(vault, tenant);
    await manage('POST', `/applications/${own.id}/keys`);
    const usedAt = '2026-03-02T09:30:00.000Z';
    await vault.database.owner.query('update application_keys set last_used_at = $2 where id = $1', [
      own.keyId,
      usedAt,
    ]);
    const listed = (await manage('GET', `/applications/${own.id}/keys`)).body;
    expect(listed).toMatchObject([{ last_used_at: null }, { id: own.keyId, last_used_at: usedAt }]);
    expect((await manage('GET', `/applications/${own.id}`)).body).toMatchObject({ keys: listed });
    const single = await manage('GET', `/applications/${own.id}/keys/${own.keyId}`);
    expect(single.body).toMatchObject({ last_used_at: usedAt });
  });

  it('200 answers with an empty array for an application without keys', async () => {
    const own = await vault.request('POST', '/applications', {
      key: tenant.keys.management,
      body: { name: 'Keyless', type: 'private', permissions: ['token:read'], create_key: false },
    });
    const answer = await manage('GET', `/applications/${(own.body as { id: string }).id}/keys`);
    expect(answer).toMatchObject({ status: 200, body: [] });
  });
});

describe('GET /applications/{id}/keys/{id}', () => {
  it('200 shows the key without its secret, and records the reading', async () => {
    const own = await createApplication(vault, tenant);
    const answer = await manage('GET', `/applications/${own.id}/keys/${own.keyId}`);
    expect(answer).toMatchObject({ status: 200, body: { id: own.keyId, version: '1' } });
    expect(answer.body).not.toHaveProperty('key');
    expect(await recordsOf(vault, tenant, own.id)).toMatchObject([
      { operation: 'create' },
      { entity_type: 'application', operation: 'read', outcome: 'success' },
    ]);
  });

  it('404 does not find a key under another application of the tenant', async () => {
    const own = await createApplication(vault, tenant);
    expect((await manage('GET', `/applications/${own.id}/keys/${application.keyId}`)).status).toBe(404);
    expect((await manage('DELETE', `/applications/${own.id}/keys/${application.keyId}`)).status).toBe(404);
    expect(await statusOf(application.key)).toBe(200);
  });
});

describe('DELETE /applications/{id}/keys/{id}', () => {
  it('204 revokes this key and no other, and records the change', async () => {
    const own = await createApplication(vault, tenant);
    const second = (await manage('POST', `/applications/${own.id}/keys`)).body as { id: string; key: string };
    const answer = await manage('DELETE', `/applications/${own.id}/keys/${own.keyId}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
    await untilTrue(async () => (await statusOf(own.key)) === 401, { waitingFor: 'a refusal' });
    expect(await statusOf(second.key)).toBe(200);
    expect((await manage('GET', `/applications/${own.id}/keys`)).body).toMatchObject([{ id: second.id }]);
    expect((await manage('DELETE', `/applications/${own.id}/keys/${own.keyId}`)).status).toBe(404);
    const changes = (await recordsOf(vault, tenant, own.id)).filter(({ operation }) => operation === 'update');
    expect(changes).toHaveLength(2);
  });

  it('204 has one winner among 20 deletions', async () => {
    const own = await createApplication(vault, tenant);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => manage('DELETE', `/applications/${own.id}/keys/${own.keyId}`)),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
  });
});

describe('an application with an end', () => {
  it('401 once the time has come, without anybody doing anything', async () => {
    const endsAt = Date.now() + 2_000;
    const own = await createApplication(vault, tenant, { expires_at: new Date(endsAt).toISOString() });
    await untilTrue(async () => (await statusOf(own.key)) === 401, { waitingFor: 'a refusal' });
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
  });

  it('401 after the end was moved into the past', async () => {
    const own = await createApplication(vault, tenant);
    expect(await statusOf(own.key)).toBe(200);
    await vault.database.owner.query(`update applications set expires_at = now() - interval '1 s' where id = $1`, [
      own.id,
    ]);
    await untilTrue(async () => (await statusOf(own.key)) === 401, { waitingFor: 'a refusal' });
  });
});
