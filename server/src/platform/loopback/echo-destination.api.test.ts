import { connect } from 'node:tls';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopback, ProxyVault, proxyErrorOf } from '../../../test/harness/proxy-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { outbound as outboundSettings } from '../config/outbound-settings.ts';
import { Outbound } from '../outbound/outbound.ts';
import type { OutboundConfig } from '../outbound/outbound-config.ts';
import { EchoDestination } from './echo-destination.ts';

let echo: EchoDestination;
/** A vault whose settings allow no private destination. DNS returns loopback for every name. */
let proxy: ProxyVault;
let cardId: string;
beforeAll(async () => {
  echo = await EchoDestination.start();
  proxy = await ProxyVault.start({ ownDestination: echo.destination, privateRanges: [], hosts: [], ports: [] });
  for (const name of ['echo.localhost', 'other.localhost', 'rebound.example']) proxy.resolver.set(name, ['127.0.0.1']);
  cardId = await proxy.store(
    { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
    { type: 'card' },
  );
});
afterAll(async () => {
  await Promise.all([proxy.stop(), echo.stop()]);
});

describe('the echo destination', () => {
  it('returns the request that it received, with the values in it', async () => {
    const answer = await proxy.call({
      url: echo.url,
      path: '/v1/charges?currency=eur',
      headers: { 'content-type': 'application/json', authorization: 'Bearer provider-key' },
      body: JSON.stringify({ card: `{{ ${cardId} }}`, note: `ends in {{ ${cardId} | json: '$.number' | last4 }}` }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('bt-proxy-destination-status')).toBe('200');
    expect(answer.body).toMatchObject({
      method: 'POST',
      path: '/v1/charges?currency=eur',
      headers: { host: new URL(echo.url).host, authorization: 'Bearer provider-key' },
      body: { card: { number: '4242424242424242', expiration_month: 12 }, note: 'ends in 4242' },
    });
    expect(JSON.stringify(answer.body)).not.toContain(proxy.tenant.keys.private);
  });

  it('returns what is no JSON as text', async () => {
    const answer = await proxy.call({
      url: echo.url,
      headers: { 'content-type': 'text/plain' },
      body: 'no {{ JSON',
    });
    expect(answer.body).toMatchObject({ body: 'no {{ JSON' });
  });

  it('responds with the status that the path asks for', async () => {
    const answer = await proxy.call({ url: echo.url, path: '/status/402' });
    expect([answer.status, answer.headers.get('bt-proxy-destination-status')]).toEqual([402, '402']);
  });

  it('hides digits where the path asks for that, as the receipt of a provider does', async () => {
    const answer = await proxy.call({
      url: echo.url,
      path: '/masked/v1/charges',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 2400, number: `{{ ${cardId} | json: '$.number' }}`, code: '123' }),
    });
    expect(answer.body).toMatchObject({ body: { amount: 2400, number: '424242XXXXXX4242', code: 'XXX' } });
    expect(answer.text).not.toContain('4242424242');
  });

  it('is trusted by nobody but the vault that started it', async () => {
    const socket = connect({ host: '127.0.0.1', port: echo.destination.port, servername: 'echo.localhost' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/SELF_SIGNED/);
  });
});

describe('what a vault with an echo destination may call besides', () => {
  const port = () => echo.destination.port;
  it.each([
    ['its name on the usual port', () => 'https://echo.localhost/'],
    ['its name on another port', () => `https://echo.localhost:${port() - 1}/`],
    ['another name on its port', () => `https://other.localhost:${port()}/`],
    ['a public name on its port', () => `https://rebound.example:${port()}/`],
    ['its address on its port', () => `https://127.0.0.1:${port()}/`],
    ['localhost on its port', () => `https://localhost:${port()}/`],
    ['a public name that leads to its address', () => 'https://rebound.example/'],
    ['its name with a dot at the end', () => `https://echo.localhost.:${port()}/`],
  ])('not %s', async (_name, url) => {
    const answer = await proxy.call({ url: url(), body: `{{ ${cardId} }}` });
    expect([400, 403]).toContain(answer.status);
    expect(answer.headers.get('bt-proxy-destination-status')).toBeNull();
    expect(proxyErrorOf(answer)['detail']).toEqual(expect.any(String));
  });

  /** Connects like the proxy does, with other settings. */
  async function reach(url: string, config: Partial<OutboundConfig>): Promise<void> {
    const outbound = new Outbound({ ...outboundSettings.read({}), ...config });
    const { signal } = new AbortController();
    const destination = outbound.parse(url);
    const vetted = await outbound.resolve(destination, signal);
    const tenantId = parseTenantId(proxy.tenant.id);
    (await outbound.connect(destination, vetted, { tenantId, signal })).close();
  }

  it('not it itself with another certificate, no matter who vouches for that', async () => {
    await reach(echo.url, { ownDestination: echo.destination });
    const certificate = proxy.authority.certificate;
    await expect(reach(echo.url, { ownDestination: { ...echo.destination, certificate } })).rejects.toMatchObject({
      reason: 'untrusted',
    });
  });

  it('not what only its certificate vouches for', async () => {
    const allowed = { privateRanges: [loopback], ports: [proxy.destination.port], resolvers: [proxy.resolver.address] };
    await reach(proxy.url, { ...allowed, authorities: proxy.authority.certificate });
    await expect(reach(proxy.url, { ...allowed, ownDestination: echo.destination })).rejects.toMatchObject({
      reason: 'untrusted',
    });
  });
});
