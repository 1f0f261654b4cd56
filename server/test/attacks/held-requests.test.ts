import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { ruleOn } from '../harness/limited-key.ts';
import { requestHead } from '../harness/raw-http.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

/** Requests whose body arrives after the right to make them has been revoked. */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

interface Held {
  readonly line: string;
  readonly key: string;
  readonly body: unknown;
  readonly type?: string;
}

/**
 * Sends the head and one byte of the body, runs `between`, and sends the remaining body when other requests are already
 * refused.
 */
async function held({ line, key, body, type = 'application/json' }: Held, between: () => Promise<void>) {
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(vault.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  const headers = {
    'bt-api-key': key,
    'content-type': type,
    'content-length': String(text.length),
    connection: 'close',
  };
  socket.write(requestHead(line, headers) + text.slice(0, 1));
  await between();
  // The server may not have read the head before this moment.
  const changedAt = performance.now();
  await untilTrue(() => performance.now() - changedAt > 300, { waitingFor: 'the body to be late' });
  socket.write(text.slice(1));
  await closed;
  const response = Buffer.concat(chunks).toString();
  return { status: Number(response.split(' ')[1]), text: response };
}

const until = (status: number, ask: () => Promise<{ status: number }>) =>
  untilTrue(async () => (await ask()).status === status, { waitingFor: `status ${status}` });
const manage = (method: string, path: string, body?: unknown) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
const revealing = (permission: 'token:read' | 'token:update') => ({
  permissions: [],
  rules: [{ priority: 1, ...ruleOn('/', 'reveal', permission) }],
});

describe('a request whose body is held back', () => {
  it('detokenizes nothing with the key of an application that was deleted meanwhile', async () => {
    const { id } = await owner.make({ type: 'token', data: 'the secret' });
    const app = await createApplication(vault, tenant, revealing('token:read'));
    const answer = await held({ line: 'POST /detokenize', key: app.key, body: { a: `{{ ${id} }}` } }, async () => {
      await manage('DELETE', `/applications/${app.id}`);
      await until(401, () => vault.request('GET', `/tokens/${id}`, { key: app.key }));
    });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('the secret');
  });

  it('makes no key with a key that was revoked meanwhile', async () => {
    const permissions = ['application:create', 'application:read'];
    const app = await createApplication(vault, tenant, { type: 'management', permissions });
    const answer = await held({ line: `POST /applications/${app.id}/keys`, key: app.key, body: {} }, async () => {
      await manage('DELETE', `/applications/${app.id}/keys/${app.keyId}`);
      await until(401, () => vault.request('GET', '/applications', { key: app.key }));
    });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('"key"');
  });

  it('gives no more than a limit allows that was set meanwhile', async () => {
    const permissions = ['application:create', 'application:read'];
    const app = await createApplication(vault, tenant, { type: 'management', permissions });
    const body = { name: 'x', type: 'private', permissions: ['token:use'] };
    const answer = await held({ line: 'POST /applications', key: app.key, body }, async () => {
      const grant_limit = { permissions: ['token:create'], containers: ['/shop/'], transform: 'redact' };
      await manage('PUT', `/applications/${app.id}`, { name: 'x', permissions, grant_limit });
      await until(403, () => vault.request('POST', '/applications', { key: app.key, body }));
    });
    expect(answer.status).toBe(403);
  });

  it('authors no view under a rule that was lowered meanwhile', async () => {
    const { id } = await owner.make({ type: 'token', data: 'the secret' });
    const app = await createApplication(vault, tenant, revealing('token:update'));
    const type = 'application/merge-patch+json';
    const body = { mask: '{{ data }}' };
    const answer = await held({ line: `PATCH /tokens/${id}`, key: app.key, body, type }, async () => {
      const rules = [{ priority: 1, ...ruleOn('/', 'redact', 'token:update') }];
      await manage('PUT', `/applications/${app.id}`, { name: 'x', rules });
      const headers = { 'content-type': type };
      await until(403, () => vault.request('PATCH', `/tokens/${id}`, { key: app.key, body: { mask: 'x' }, headers }));
    });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('the secret');
  });

  it('is handled as usual if nothing has changed', async () => {
    const { id } = await owner.make({ type: 'token', data: 'the value' });
    const body = { a: `{{ ${id} }}` };
    const answer = await held({ line: 'POST /detokenize', key: tenant.keys.reveal, body }, async () => undefined);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('the value');
  });
});
