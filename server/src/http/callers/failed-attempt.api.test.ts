import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const uuid = randomUUID();
/** Sends a request with a key, and returns its log entries. */
async function ask(method: string, path: string, key: keyof TestTenant['keys'], body?: unknown) {
  const trace = randomUUID();
  const answer = await vault.request(method, path, {
    key: tenant.keys[key],
    headers: {
      'bt-trace-id': trace,
      ...(method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  const records = (await vault.auditRecords(tenant.id)).filter(({ request_id }) => request_id === trace);
  return { ...answer, records };
}

describe('something that does not exist', () => {
  it.each([
    { method: 'GET', path: `/tokens/${uuid}`, key: 'private', entity: 'token', operation: 'read' },
    { method: 'PATCH', path: `/tokens/${uuid}`, key: 'private', entity: 'token', operation: 'update', body: {} },
    { method: 'DELETE', path: `/tokens/${uuid}`, key: 'private', entity: 'token', operation: 'delete' },
    { method: 'GET', path: `/applications/${uuid}`, key: 'management', entity: 'application', operation: 'read' },
    { method: 'DELETE', path: `/applications/${uuid}`, key: 'management', entity: 'application', operation: 'delete' },
    {
      method: 'GET',
      path: `/applications/${uuid}/keys/${uuid}`,
      key: 'management',
      entity: 'application',
      operation: 'read',
    },
    {
      method: 'PUT',
      path: `/tenants/self/members/${uuid}`,
      key: 'management',
      entity: 'member',
      operation: 'update',
      body: { role: 'ADMIN' },
    },
    {
      method: 'GET',
      path: `/tenants/self/invitations/${uuid}`,
      key: 'management',
      entity: 'invitation',
      operation: 'read',
    },
  ] as const)('is missed by $method $path once', async ({ method, path, key, entity, operation, ...more }) => {
    const { status, records } = await ask(method, path, key, 'body' in more ? more.body : undefined);
    expect(status).toBe(404);
    expect(records).toMatchObject([
      {
        entity_type: entity,
        entity_id: uuid,
        operation,
        outcome: 'missed',
        transform: null,
        details: '{"missing":1}',
        source_address: '127.0.0.1',
      },
    ]);
  });

  it('is not named unless it has the form of an id', async () => {
    const { status, records } = await ask('GET', '/tokens/4242424242424242', 'private');
    expect(status).toBe(404);
    expect(records).toMatchObject([{ entity_id: '*', outcome: 'missed' }]);
    expect(JSON.stringify(records)).not.toContain('4242424242424242');
  });

  it('is missed as a nonce', async () => {
    const { status, records } = await ask('POST', '/sessions/authorize', 'private', {
      nonce: 'unknown',
      permissions: ['token:read'],
    });
    expect(status).toBe(404);
    expect(records).toMatchObject([
      { entity_type: 'session', entity_id: '*', operation: 'authorize', outcome: 'missed' },
    ]);
  });

  it('is answered with a failure where it cannot be recorded', async () => {
    await vault.database.owner.query(
      'alter table audit_records add constraint no_misses check (outcome <> $$missed$$) not valid',
    );
    try {
      expect((await ask('GET', `/tokens/${uuid}`, 'private')).status).toBeGreaterThanOrEqual(500);
    } finally {
      await vault.database.owner.query('alter table audit_records drop constraint no_misses');
    }
  });

  it('leaves nothing as a path, or without a valid key', async () => {
    expect((await ask('GET', '/nowhere', 'private')).records).toEqual([]);
    const before = (await vault.auditRecords(tenant.id)).length;
    expect((await vault.request('GET', `/tokens/${uuid}`, { key: 'key_test_us_pvt_nonsense' })).status).toBe(401);
    expect(await vault.auditRecords(tenant.id)).toHaveLength(before);
  });
});

describe('a refusal that tells that something exists', () => {
  it('is recorded for the id of a token', async () => {
    const body = { id: 'chosen', type: 'token', data: 1 };
    expect((await ask('POST', '/tokens', 'private', body)).status).toBe(201);
    const { status, records } = await ask('POST', '/tokens', 'private', body);
    expect(status).toBe(409);
    expect(records).toMatchObject([
      { entity_type: 'token', entity_id: 'chosen', operation: 'create', outcome: 'failed', details: '{"found":1}' },
    ]);
  });

  it('is recorded for an address, without it', async () => {
    const body = { email: 'grace@example.com' };
    expect((await ask('POST', '/tenants/self/invitations', 'management', body)).status).toBe(201);
    const { status, records } = await ask('POST', '/tenants/self/invitations', 'management', body);
    expect(status).toBe(409);
    expect(records).toMatchObject([{ entity_type: 'invitation', entity_id: '*', outcome: 'failed' }]);
    expect(JSON.stringify(records)).not.toContain('grace');
  });
});
