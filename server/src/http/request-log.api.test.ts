import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { DomainError } from '../core/errors/domain-error.ts';
import { HsmError } from '../platform/keyring/kms/pkcs11-module.ts';
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

describe('the log of requests', () => {
  it.each([
    ['GET', `/tokens/${canary}`, '/tokens/:id', 404],
    ['GET', `/${canary}?q=${canary}`, 'unknown', 404],
    ['GET', `/${canary}%zz`, 'unknown', 404],
    ['GET', `/tokens/${canary}{long}`, 'unknown', 404],
    ['PUT', `/applications/${canary}`, '/applications/:id', 400],
    ['POST', '/tokens', '/tokens', 201],
    ['POST', '/applications', '/applications', 403],
  ])('has one line for %s %s, of allowed fields and without what was sent', async (method, path, route, status) => {
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
      { message: 'request', trace_id: traceId, method, route, status, duration_ms: expect.any(Number) },
    ]);
    const everything = vault.logLines.join('\n');
    expect(everything).not.toContain(canary);
    expect(everything).not.toContain(tenant.id);
    for (const secret of Object.values(tenant.keys)) expect(everything).not.toContain(secret);
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
    expect(describeFailure(thrown)).toMatchObject({ error: expect.any(String), stack: '' });
  });

  it('repeats only messages that we wrote for operators', () => {
    const advice = 'The HSM does not answer. Check that it is connected.';
    const unavailable = (cause: Error) => new DomainError('key-service-unavailable', 'Try again.', { cause });
    expect(describeFailure(unavailable(new HsmError(advice)))).toMatchObject({ error: 'HsmError', advice });
    expect(describeFailure(unavailable(new Error('4242424242424242')))).not.toHaveProperty('advice');
  });
});
