import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullWeight, post, times, tokenOf, valueShapes } from '../harness/heavy-requests.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { loopback, ProxyVault } from '../harness/proxy-vault.ts';

/*
 * Issue 16, point 2: each reference to a token parsed the whole token, so 5 KB of references to a token of 488 KB
 * blocked the process for seconds. These tests measure the longest turn of the event loop, in CPU time of its thread.
 */
const large = ['a wide object', 'an array of exact numbers', 'one long string'] as const;
type Large = (typeof large)[number];
/** The maximum size of a token with such small values. It contains almost 100,000 of them. */
const weight = { ...fullWeight, bytes: 390_000 };

let proxy: ProxyVault;
let measured: MeasuredVault;
const ids = new Map<Large, string>();
beforeAll(async () => {
  proxy = await ProxyVault.start();
  const { authority, destination, resolver, tenant, vault } = proxy;
  measured = await MeasuredVault.start(vault, tenant.keys.private, {
    authorities: authority.certificate,
    privateRanges: [loopback],
    ports: [destination.port],
    resolvers: [resolver.address],
  });
  for (const name of large) {
    const made = await measured.send(post('/tokens', tenant.keys.private, tokenOf(valueShapes[name](weight))));
    ids.set(name, (JSON.parse(made.text) as { id: string }).id);
  }
});
afterAll(async () => {
  await measured.stop();
  await proxy.stop();
});

describe('references to a large token', () => {
  const documents: readonly (readonly [string, (id: string) => unknown, number])[] = [
    ['one reference', (id) => [`{{ ${id} }}`], 200],
    ['ten references', (id) => times(10, () => `{{ ${id} }}`), 200],
    ['100 references', (id) => times(100, () => `{{ ${id} }}`), 400],
    ['1,000 references', (id) => times(1_000, () => `{{ ${id} }}`), 400],
    ['100 references to the whole token', (id) => times(100, () => `{{ token: ${id} }}`), 400],
    ['100 references in one text', (id) => [times(100, () => `{{ ${id} }}`).join(' ')], 400],
    ['2,400 references in one text', (id) => [times(2_400, () => `{{ ${id} }}`).join(' ')], 400],
    ['2,400 references in many texts', (id) => times(2_400, () => `{{ ${id} }}`), 400],
    ['500 masked references', (id) => times(500, () => `{{ ${id} | card_mask }}`), 400],
    ['twenty filtered references', (id) => times(20, () => `{{ ${id} | json: '$.none' }}`), 200],
    ['1,000 filtered references', (id) => times(1_000, () => `{{ token: ${id} | json: '$.id' }}`), 200],
  ];
  // The filters of one expression may read only a limited amount of text. A document is traversed without reading its
  // text.
  const isTooLong = (what: string, name: string) => what === 'twenty filtered references' && name === 'one long string';
  const cases = large.flatMap((name) =>
    documents.map(([what, make, status]) => [what, name, make, isTooLong(what, name) ? 400 : status] as const),
  );

  it.each(cases)('are detokenized in short turns: %s to %s', async (what, name, make, status) => {
    const body = make(ids.get(name) ?? '');
    const answer = await measured.measureShort(post('/detokenize', proxy.tenant.keys.reveal, body));
    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).toBe(status);
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it.each(cases)('go through the proxy in short turns: %s to %s', async (what, name, make, status) => {
    const body = JSON.stringify(make(ids.get(name) ?? ''));
    const answer = await measured.measureShort({
      method: 'POST',
      path: '/proxy',
      key: proxy.tenant.keys.reveal,
      body,
      headers: { 'bt-proxy-url': proxy.url },
    });
    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).toBe(status);
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', (id: string) => `a={{ ${id} }}&b={{ ${id} }}`],
    [
      'a form of very many fields',
      'application/x-www-form-urlencoded',
      (id: string) => `${'a&'.repeat(400_000)}b={{ ${id} }}`,
    ],
    ['plain text', 'text/plain', (id: string) => `{{ ${id} }}`.repeat(100)],
    ['XML', 'application/xml', (id: string) => `<a>${`{{ ${id} }}`.repeat(4)}</a>`],
    ['braces that hold no id', 'text/plain', (id: string) => `${'{{ '.repeat(40_000)}{{ ${id} }}`],
  ])('go through the proxy in short turns as %s', async (_form, type, make) => {
    const answer = await measured.measureShort({
      method: 'POST',
      path: '/proxy',
      key: proxy.tenant.keys.reveal,
      body: make(ids.get('a wide object') ?? ''),
      headers: { 'bt-proxy-url': proxy.url, 'content-type': type },
    });
    expect([200, 400]).toContain(answer.status);
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it('says how many a request may hold', async () => {
    const body = times(1_001, () => `{{ ${ids.get('one long string')} }}`);
    const answer = await measured.send(post('/detokenize', proxy.tenant.keys.reveal, body));
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 400,
      detail: 'A request can contain at most 1000 token references.',
    });
  });
});
