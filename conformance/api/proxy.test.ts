import { beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import type { Echo } from '../harness/echo-destination.ts';
import { makeApplication } from '../harness/make-application.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const destination = inject('destinationUrl');
const user = new ApiCaller(vault, vault.keys.private);
const proxyError = { proxy_error: { status: expect.any(Number), title: expect.any(String) } };
let id: string;
beforeAll(async () => {
  ({ id } = await user.store({ type: 'card', data: testCard }));
});
const to = { 'bt-proxy-url': destination };
interface Sent {
  readonly by?: ApiCaller;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
const send = (method: string, path = '', { by = user, headers, body }: Sent = {}) =>
  by.ask(method, `/proxy${path}`, { headers: { ...to, ...headers }, ...(body === undefined ? {} : { body }) });

describe('Endpoints: proxy', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s is forwarded', async (method) => {
    const answer = await send(method, '/somewhere?a=b', ['GET', 'DELETE'].includes(method) ? {} : { body: { a: 1 } });
    expect(answer).toMatchObject({ status: 200, body: { method, path: '/somewhere?a=b' } });
  });

  it('needs token:use, also where nothing is detokenized', async () => {
    const { caller } = await makeApplication(vault, { permissions: ['token:create', 'token:read'] });
    expect(await send('POST', '', { by: caller, body: { a: 1 } })).toMatchObject({ status: 403, body: proxyError });
  });

  it('needs token:use on the containers of the tokens', async () => {
    const rule = {
      description: 'x',
      priority: 1,
      container: '/general/',
      transform: 'reveal',
      permissions: ['token:use'],
    };
    const { caller } = await makeApplication(vault, { rules: [rule] });
    expect((await send('POST', '', { by: caller, body: { a: 1 } })).status).toBe(200);
    expect((await send('POST', '', { by: caller, body: { a: `{{ ${id} }}` } })).status).toBe(403);
  });

  it('BT-API-KEY: required', async () => {
    const nobody = new ApiCaller(vault, undefined);
    expect(await send('POST', '', { by: nobody, body: {} })).toMatchObject({ status: 401, body: proxyError });
  });

  it('BT-API-KEY: of a private application', async () => {
    for (const key of [vault.keys.public, vault.keys.management]) {
      expect((await send('POST', '', { by: new ApiCaller(vault, key), body: {} })).status).toBe(403);
    }
  });

  it('BT-PROXY-URL: required', async () => {
    expect(await user.ask('GET', '/proxy')).toMatchObject({ status: 400, body: proxyError });
  });

  it('BT-PROXY-URL: what path and query are put behind', async () => {
    const answer = await send('GET', '/b/c?d=e', { headers: { 'bt-proxy-url': `${destination}/a/` } });
    expect(answer.body).toMatchObject({ path: '/a/b/c?d=e' });
  });

  it('BT-PROXY-KEEP-ALIVE and BT-PROXY-CONNECTION: Keep-Alive and Connection of the call', async () => {
    const headers = { 'bt-proxy-keep-alive': 'timeout=5, max=100', 'bt-proxy-connection': 'keep-alive' };
    const echo = (await send('GET', '', { headers })).body as Echo;
    expect(echo.headers).toMatchObject({ 'keep-alive': 'timeout=5, max=100', connection: 'keep-alive' });
  });

  it('other headers are forwarded, and none of those that are for the vault', async () => {
    const echo = (await send('GET', '', { headers: { authorization: 'Bearer theirs', 'x-other': 'yes' } }))
      .body as Echo;
    expect(echo.headers).toMatchObject({ authorization: 'Bearer theirs', 'x-other': 'yes' });
    expect(Object.keys(echo.headers).filter((name) => name.startsWith('bt-'))).toEqual([]);
  });

  it('body: forwarded, with the plaintext in the place of a token id in double curly braces', async () => {
    const echo = (await send('POST', '', { body: { card: `{{ ${id} }}`, tight: `{{${id}}}`, other: 1 } })).body as Echo;
    expect(JSON.parse(echo.body)).toEqual({ card: testCard, tight: testCard, other: 1 });
  });

  it('body: may be left out', async () => {
    expect((await send('POST')).body).toMatchObject({ method: 'POST', body: '' });
  });

  it.each([201, 302, 402, 500])('the answer is that of the destination: status %i', async (status) => {
    const answer = await send('GET', `/status/${status}`);
    expect(answer).toMatchObject({ status, body: { path: `/status/${status}` } });
    expect(answer.headers.get('x-echo')).toBe('yes');
  });

  it('an expression that cannot be evaluated is a proxy_error', async () => {
    expect(await send('POST', '', { body: { a: `{{ ${id} | no_such_filter }}` } })).toMatchObject({
      status: 400,
      body: proxyError,
    });
    expect(await send('POST', '', { body: { a: `{{ ${crypto.randomUUID()} }}` } })).toMatchObject({
      status: 400,
      body: proxyError,
    });
  });
});
