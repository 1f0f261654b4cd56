import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../harness/heavy-requests.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { loopback, ProxyVault } from '../harness/proxy-vault.ts';

/**
 * Previously, a multipart boundary could have any length, and values were searched for it with `includes`, whose
 * running time can be the product of both lengths: 4 KB blocked the process for 2 s. Other values were escaped in one
 * turn.
 */
let proxy: ProxyVault;
let measured: MeasuredVault;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  const { authority, destination, resolver, tenant, vault } = proxy;
  measured = await MeasuredVault.start(vault, tenant.keys.private, {
    authorities: authority.certificate,
    privateRanges: [loopback],
    ports: [destination.port],
    resolvers: [resolver.address],
  });
});
afterAll(async () => {
  await measured.stop();
  await proxy.stop();
});

const call = (type: string, body: string) =>
  measured.measureShort({
    method: 'POST',
    path: '/proxy',
    key: proxy.tenant.keys.private,
    body,
    headers: { 'bt-proxy-url': proxy.url, 'content-type': type },
  });

describe('a multipart boundary', () => {
  it.each([
    ['of 70 characters is looked for', `${'-'.repeat(30)}b${'-'.repeat(39)}`, 200],
    ['of 71 characters is refused', `${'-'.repeat(30)}b${'-'.repeat(40)}`, 400],
    ['of thousands of characters is refused', `${'-'.repeat(300)}b${'-'.repeat(4_000)}`, 400],
  ])('%s in short turns', async (_name, boundary, status) => {
    const id = await proxy.store('-'.repeat(1_000_000));
    const answer = await call(`multipart/form-data; boundary=${boundary}`, `{{ ${id} }}`);
    expect(answer.status, answer.text.slice(0, 300)).toBe(status);
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });
});

it.each([
  ['application/xml', '&', (id: string) => `<a>{{ ${id} }}</a>`],
  ['application/xml', "'", (id: string) => `<a>{{ ${id} }}</a>`],
  ['application/x-www-form-urlencoded', 'é', (id: string) => `a={{ ${id} }}`],
  ['application/x-www-form-urlencoded', ' ', (id: string) => `a={{ ${id} }}`],
  ['application/json', 'é', (id: string) => `{"a": "b{{ ${id} }}"}`],
  ['application/json', '"', (id: string) => `{"a": "b{{ ${id} }}"}`],
  ['text/plain', 'é', (id: string) => `{{ ${id} }}`],
])('a large value is escaped in short turns: %s with many %s', async (type, letter, body) => {
  const id = await proxy.store(letter.repeat(1_500_000));
  const answer = await call(type, body(id));
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
});

it('a long text is looked for by filters in short turns', async () => {
  const search = `${'a'.repeat(300)}b${'a'.repeat(600)}`;
  const mask = [`{{ data | remove: '${search}' }}`, `{{ data | replace: '${search}' }}`];
  const body = { type: 'token', data: 'a'.repeat(32_000), mask };
  const answer = await measured.measureShort(post('/tokens', proxy.tenant.keys.private, body));
  expect(answer.status, answer.text.slice(0, 300)).toBe(201);
  expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
});
