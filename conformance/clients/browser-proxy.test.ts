import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { differs } from '../harness/differs.ts';
import type { Echo } from '../harness/echo-destination.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { testCard } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
const destination = inject('destinationUrl');
let client: BrowserClient;
let id: string;
beforeAll(async () => {
  client = await openBrowserClient(keys.private, url);
  ({ id } = await client.tokens.create({ type: 'card', data: testCard }));
});
const to = (path = '') => ({ 'BT-PROXY-URL': `${destination}${path}` });
const body = () => ({ number: `{{ ${id} | json: '$.number' }}`, month: `{{ ${id} | json: '$.expiration_month' }}` });
const sent = { number: testCard.number, month: testCard.expiration_month };

describe(browserClientName, () => {
  describe('proxy.get', () => {
    it('forwards path, query and headers with references replaced by plaintext', async () => {
      const echo = (await client.proxy.get({
        path: '/charges/17',
        query: { expand: 'all', last4: `{{ ${id} | json: '$.number' | last4 }}` },
        headers: { ...to('/v1'), Authorization: 'Bearer provider-key', 'X-Card': `{{ ${id} | json: '$.number' }}` },
      })) as Echo;
      expect(echo).toMatchObject({ method: 'GET', path: '/v1/charges/17?expand=all&last4=4242' });
      expect(echo.headers).toMatchObject({ authorization: 'Bearer provider-key', 'x-card': testCard.number });
      expect(Object.keys(echo.headers).filter((name) => name.startsWith('bt-'))).toEqual([]);
    });

    it('calls the destination address if there is no path', async () => {
      expect(await client.proxy.get({ headers: to() })).toMatchObject({ method: 'GET', path: '/' });
    });
  });

  describe.each(['post', 'put', 'patch'] as const)('proxy.%s', (method) => {
    it('forwards the body with references replaced by plaintext', async () => {
      const echo = (await client.proxy[method]({ path: '/charges', headers: to(), body: body() })) as Echo;
      expect(echo).toMatchObject({ method: method.toUpperCase(), path: '/charges' });
      expect(JSON.parse(echo.body)).toEqual(sent);
    });

    it('throws the error from the destination unchanged', async () => {
      const error = await thrownBy(client.proxy[method]({ path: '/status/402', headers: to(), body: body() }));
      expect(error).toMatchObject({ status: 402, data: { path: '/status/402' } });
    });
  });

  describe('proxy.post', () => {
    it('returns the response headers on request', async () => {
      const options = { headers: to(), body: {}, includeResponseHeaders: true };
      const { headers } = (await client.proxy.post(options)) as { headers: Record<string, string> };
      expect(headers).toMatchObject({ 'x-echo': 'yes', 'bt-proxy-destination-status': '200' });
    });

    it('throws a proxy_error for an unknown token, with the text that clients expect', async () => {
      const none = crypto.randomUUID();
      const error = await thrownBy(client.proxy.post({ headers: to(), body: { a: `{{ ${none} }}` } }));
      expect(error).toMatchObject({
        status: 400,
        data: {
          proxy_error: {
            title: 'Invalid proxy request',
            detail: `Failed to detokenize some tokens: ${none}. Tokens were not found.`,
          },
        },
      });
    });

    it('throws a proxy_error for an invalid key and for a missing permission', async () => {
      const options = { headers: to(), body: body() };
      const strangers = await openBrowserClient('nobody', url);
      expect(await thrownBy(strangers.proxy.post(options))).toMatchObject({
        status: 401,
        data: { proxy_error: { title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required' } },
      });
      const creator = await openBrowserClient(keys.public, url);
      expect(await thrownBy(creator.proxy.post(options))).toMatchObject({
        status: 403,
        data: { proxy_error: { detail: 'Missing permission: token:use' } },
      });
    });

    it('rejects destinations without TLS and IP addresses', async ({ task }) => {
      differs(
        task,
        'Plaintext is sent only over verified TLS and only to host names; operators can allow more, callers cannot.',
      );
      for (const address of ['http://api.provider.example', 'https://127.0.0.1', 'https://169.254.169.254/latest']) {
        const error = await thrownBy(client.proxy.post({ headers: { 'BT-PROXY-URL': address }, body: body() }));
        expect(error).toMatchObject({ data: { proxy_error: { status: expect.any(Number) } } });
      }
    });

    it('rejects the key of a stored proxy that does not exist', async () => {
      const headers = { 'BT-PROXY-KEY': 'proxy_key' };
      expect(await thrownBy(client.proxy.post({ headers, body: {} }))).toMatchObject({
        status: 404,
        data: { proxy_error: { status: 404 } },
      });
    });
  });

  describe('proxy.delete', () => {
    it('forwards', async () => {
      expect(await client.proxy.delete({ path: '/charges/17', headers: to() })).toMatchObject({
        method: 'DELETE',
        path: '/charges/17',
      });
    });

    it('throws the error from the destination unchanged', async () => {
      const error = await thrownBy(client.proxy.delete({ path: '/status/404', headers: to() }));
      expect(error).toMatchObject({ status: 404, data: { method: 'DELETE' } });
    });
  });
});
