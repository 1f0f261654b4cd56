import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { createAdminEdge } from './admin-edge.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const admin = (path: string, method = 'GET') =>
  vault.request(method, path, { url: vault.server.adminUrl, key: tenant.keys.management });

describe('the admin port', () => {
  it.each(['/livez', '/readyz'])('200 for %s, in a word', async (path) => {
    expect(await admin(path)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(Object.keys((await admin(path)).body as object)).toEqual(['status']);
  });

  it.each(['/readyz?verbose', '/readyz?verbose=1', '/readyz?verbose=true'])(
    '200 for %s, with every check',
    async (path) => {
      const answer = await admin(path);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        status: 'ok',
        checks: expect.arrayContaining([
          { name: 'not draining', status: 'ok' },
          { name: 'database', status: 'ok' },
          { name: 'writable database', status: 'ok' },
          { name: 'change feed', status: 'ok' },
        ]),
        degraded: expect.any(Array),
      });
    },
  );

  it('503 names what does not work, and not why', async () => {
    const checks = [
      { name: 'fine', check: async () => undefined },
      { name: 'broken', check: () => Promise.reject(new Error('secret')) },
    ];
    const app = createAdminEdge({ metrics: new Metrics(), checks });
    const brief = await app.inject('/readyz');
    expect([brief.statusCode, brief.json()]).toEqual([503, { status: 'unavailable' }]);
    expect((await app.inject('/readyz?verbose')).json()).toEqual({
      status: 'unavailable',
      checks: [
        { name: 'fine', status: 'ok' },
        { name: 'broken', status: 'unavailable' },
      ],
      degraded: [],
    });
    expect((await app.inject('/livez')).statusCode).toBe(200);
    await app.close();
  });

  it('200 although the ground is not what it should be: no other server would do better', async () => {
    const ground = () => [
      { name: 'fsync', verdict: 'fail' as const, detail: 'off', promise: 'durable', remedy: 'on' },
      { name: 'clock', verdict: 'ok' as const, detail: 'agrees' },
      { name: 'replication lag', verdict: 'unknown' as const, detail: 'hidden' },
    ];
    const app = createAdminEdge({ metrics: new Metrics(), checks: [], ground });
    const answer = await app.inject('/readyz?verbose');
    const degraded = [{ name: 'fsync', status: 'fail', detail: 'off', promise: 'durable', remedy: 'on' }];
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok', checks: [], degraded }]);
    await app.close();
  });

  it('checks once for all who ask at the same time, and again for the next', async () => {
    let asked = 0;
    const gate = Promise.withResolvers<undefined>();
    const check = async () => {
      asked += 1;
      await gate.promise;
    };
    const app = createAdminEdge({ metrics: new Metrics(), checks: [{ name: 'slow', check }] });
    const probes = Array.from({ length: 20 }, () => app.inject('/readyz'));
    await untilTrue(() => asked > 0, { waitingFor: 'the check' });
    gate.resolve(undefined);
    expect((await Promise.all(probes)).map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
    expect(asked).toBe(1);
    await app.inject('/readyz');
    expect(asked).toBe(2);
    await app.close();
  });

  it.each(['/tokens/none', '/applications', '/tenants/self', '/openapi.json', '/docs', '/docs/errors'])(
    '404 for %s, which is for the other port',
    async (path) => {
      expect((await admin(path)).status).toBe(404);
    },
  );

  it.each(['/livez', '/readyz', '/metrics'])('is the only one with %s', async (path) => {
    expect((await vault.request('GET', path, { key: tenant.keys.management })).status).toBe(404);
  });
});

describe('GET /metrics', () => {
  const canary = 'c4n4ry';

  it('measures requests by method, route and status, and names nobody', async () => {
    const application = await createApplication(vault, tenant);
    const send = (method: string, path: string) => vault.request(method, path, { key: tenant.keys.management });
    await send('GET', `/applications/${application.id}`);
    await send('GET', `/applications/${application.id}/keys/${application.keyId}`);
    await send('GET', `/applications/${canary}`);
    await send('GET', `/${canary}`);
    await send('GET', `/tokens/${canary}%zz`);
    await send('GET', `/applications?page=${canary}`);
    await send('PROPFIND', `/tokens/${canary}`);

    let text = '';
    await untilTrue(
      async () => {
        const answer = await admin('/metrics');
        expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
        text = answer.text;
        return text.includes('route="/applications/:id/keys/:keyId",status="200"');
      },
      { waitingFor: 'the last answer to be measured' },
    );
    expect(text).toContain(
      'strongroom_http_request_seconds_count{method="GET",route="/applications/:id",status="200"}',
    );
    expect(text).toContain(
      'strongroom_http_request_seconds_bucket{le="0.001",method="GET",route="unknown",status="404"}',
    );
    expect(text).toContain('strongroom_database_connections_open{pool="vault"}');
    expect(text).toContain('strongroom_database_requests_waiting{pool="vault"}');
    expect(text).not.toContain(canary);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    for (const value of [tenant.id, application.id, application.keyId, '127.0.0.1']) expect(text).not.toContain(value);
  });

  it('has only labels that it was built with', async () => {
    const { text } = await admin('/metrics');
    const lines = text.split('\n').filter((line) => line.startsWith('strongroom_http_request_seconds_count'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^\w+\{method="[A-Z]+",route="[^"?]+",status="\d{3}"\} \d+$/);
  });
});
