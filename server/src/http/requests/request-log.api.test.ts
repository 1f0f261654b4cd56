import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { HsmError } from '../../platform/keyring/kms/pkcs11/pkcs11-module.ts';
import { describeFailure } from './request-log.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const canary = 'c4n4ry';
const linesOf = (traceId: string) =>
  vault.logLines.filter((line) => line.includes(traceId)).map((line) => JSON.parse(line) as Record<string, unknown>);
const untilLogged = (traceId: string) =>
  untilTrue(() => linesOf(traceId).length > 0, { waitingFor: 'a line in the log' });

/** The ids of the tenant, the application and the key. The key itself is never logged. */
const someone = { tenant_id: expect.any(String), application_id: expect.any(String), key_id: expect.any(String) };

describe('the log of requests', () => {
  const nobody = { method: 'GET', route: 'unknown', status: 404, code: 'not-found' };
  it.each([
    [`/tokens/${canary}`, { method: 'GET', route: '/tokens/:id', status: 404, code: 'not-found', ...someone }],
    [`/${canary}?q=${canary}`, nobody],
    [`/${canary}%zz`, nobody],
    [`/tokens/${canary}{long}`, nobody],
    [
      `/applications/${canary}`,
      { method: 'PUT', route: '/applications/:id', status: 400, code: 'validation-failed', ...someone },
    ],
    ['/tokens', { method: 'POST', route: '/tokens', status: 201, unknown_members: 1, ...someone }],
    ['/applications', { method: 'POST', route: '/applications', status: 403, code: 'forbidden', ...someone }],
  ])('has one line for %s, with who it was and why it failed, without what was sent', async (path, expected) => {
    const { method, route, status } = expected;
    const own = 'key_id' in expected ? { tenant_id: tenant.id } : {};
    const traceId = crypto.randomUUID();
    const key = route === '/applications/:id' ? tenant.keys.management : tenant.keys.private;
    const answer = await vault.request(method, path.replace('{long}', 'x'.repeat(9_000)), {
      key,
      headers: { 'bt-trace-id': traceId, 'x-canary': canary, cookie: canary, 'user-agent': canary },
      ...(method === 'GET' ? {} : { body: { type: 'token', data: canary, name: [canary], metadata: { canary } } }),
    });
    expect(answer.status).toBe(status);
    await untilLogged(traceId);
    expect(linesOf(traceId)).toEqual([
      { message: 'request', trace_id: traceId, duration_ms: expect.any(Number), ...expected, ...own },
    ]);
    const everything = vault.logLines.join('\n');
    expect(everything).not.toContain(canary);
    for (const secret of Object.values(tenant.keys)) expect(everything).not.toContain(secret);
  });

  it.each([
    ['/tokens', { type: 'token', data: { any: 1 }, privacy: {}, network_token: 'x', metadata: { any: 'x' } }, 2],
    ['/tokenize', { a: { type: 'token', data: 1, privacy: {} }, b: { type: 'token', data: 2, network_token: 1 } }, 2],
    ['/tokens', { type: 'token', data: 1 }, undefined],
  ])('counts the members of a body to %s that were ignored: %j', async (path, body, count) => {
    const traceId = crypto.randomUUID();
    const headers = { 'bt-trace-id': traceId };
    const answer = await vault.request('POST', path, { key: tenant.keys.private, body, headers });
    expect(answer.status).toBeLessThan(300);
    await untilLogged(traceId);
    expect(linesOf(traceId).map((line) => line['unknown_members'])).toEqual([count]);
  });

  it('names the application and the key of a request, and nobody for a key that is not valid', async () => {
    const [known, unknown] = [crypto.randomUUID(), crypto.randomUUID()];
    const { id, keys } = (
      await vault.request('POST', '/applications', {
        key: tenant.keys.management,
        body: { name: 'Logged', type: 'private', permissions: ['token:create'] },
      })
    ).body as { id: string; keys: { id: string; key: string }[] };
    const [{ id: keyId, key } = { id: '', key: '' }] = keys;
    await vault.request('GET', '/tokens/none', { key, headers: { 'bt-trace-id': known } });
    await vault.request('GET', '/tokens/none', { key: `${key}x`, headers: { 'bt-trace-id': unknown } });
    await untilLogged(known);
    await untilLogged(unknown);
    const ids = { tenant_id: tenant.id, application_id: id, key_id: keyId };
    expect(linesOf(known)).toMatchObject([{ status: 403, code: 'forbidden', ...ids }]);
    const told = { method: 'GET', route: '/tokens/:id', status: 401, code: 'unauthenticated' };
    expect(linesOf(unknown)).toEqual([
      { message: 'request', trace_id: unknown, duration_ms: expect.any(Number), ...told },
    ]);
  });

  it('tells an operator where a request failed, and the caller nothing', async () => {
    const traceId = crypto.randomUUID();
    const own = await vault.makeTenant();
    await vault.database.owner.query('alter table applications rename to applications_gone');
    const answer = await vault.request('GET', '/applications', {
      key: own.keys.management,
      headers: { 'bt-trace-id': traceId },
    });
    await vault.database.owner.query('alter table applications_gone rename to applications');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/relation|applications_gone|SQLSTATE|42P01/);
    await untilTrue(() => linesOf(traceId).length === 2, { waitingFor: 'both lines' });
    expect(linesOf(traceId)).toMatchObject([
      { message: 'request failed', code: 'internal-error', error: 'StatementError', sql_state: '42P01' },
      { message: 'request', status: 500 },
    ]);
  });
});

describe('the description of a failure', () => {
  it('keeps the place and drops the message, even one that looks like a place', () => {
    const cause = new RangeError(`${canary}\n    at ${canary} (file:1:1)\nat ${canary}`);
    for (const error of [cause, new DomainError('internal-error', canary, { cause })]) {
      const described = describeFailure(error);
      expect(described.error).toBe('RangeError');
      expect(described.stack).toContain('request-log.api.test.ts');
      expect(JSON.stringify(described)).not.toContain(canary);
    }
  });

  it.each([undefined, null, 'text', 7, {}])('takes whatever was thrown: %j', (thrown) => {
    expect(describeFailure(thrown)).toEqual({ error: 'unknown' });
  });

  it('repeats only messages that we wrote for operators', () => {
    const advice = 'The HSM does not answer. Check that it is connected.';
    const unavailable = (cause: Error) => new DomainError('key-service-unavailable', 'Try again.', { cause });
    expect(describeFailure(unavailable(new HsmError(advice)))).toMatchObject({ error: 'HsmError', advice });
    expect(describeFailure(unavailable(new Error('4242424242424242')))).not.toHaveProperty('advice');
  });
});
