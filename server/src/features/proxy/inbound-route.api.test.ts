import { createHmac } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { callStored, makeKeylessProxy, makeProxy, tokenizeNumber } from '../../../test/harness/stored-proxies.ts';
import { answerOk, headersOf } from '../../../test/harness/tls-destination.ts';

const number = '4242424242424242';
const xml = { 'content-type': 'application/xml' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let proxy: ProxyVault;
let respond: (socket: TLSSocket) => void = answerOk;
beforeAll(async () => {
  proxy = await ProxyVault.start({ behaviour: (socket) => respond(socket) });
});
afterAll(() => proxy.stop());
beforeEach(() => {
  respond = answerOk;
});

const bodyOf = () => proxy.destination.last.body.toString('utf8');
const answer = (text: string, type: string) => (socket: TLSSocket) =>
  void socket.end(
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );

describe('an inbound route', () => {
  const transforms = ['$.card.number', 'form:number', 'xml:/order/card'].map((location) => tokenizeNumber(location));
  const mask = { type: 'mask', matcher: 'regex', expression: String.raw`(\d{12})\d{4}`, replacement: '*' };

  it.each([
    ['JSON', 'application/json', `{"order":7,"card":{"number":"${number}"}}`],
    ['a form', 'application/x-www-form-urlencoded', `order=7&number=${number}`],
    ['XML', 'application/xml', `<order id="7"><card>${number}</card></order>`],
  ])('takes %s from a partner without a key, and the destination receives a token', async (_name, type, body) => {
    const made = await makeKeylessProxy(proxy, { request_transforms: transforms, response_transforms: [mask] });
    const before = proxy.destination.seen.length;
    respond = answer(`{"accepted":"${number}"}`, 'application/json');
    const given = await callStored(proxy, made.key, { body, headers: { 'content-type': type } });
    expect([given.status, given.text]).toEqual([200, '{"accepted":"************4242"}']);

    const seen = proxy.destination.seen.slice(before).map(({ head, body: bytes }) => head + bytes.toString('latin1'));
    expect(seen).toHaveLength(1);
    // No digits of the card are in anything that the destination saw, in one piece or spread over separators.
    expect(seen.join().replaceAll(/[^0-9]/g, '')).not.toContain(number.slice(0, 8));
    const [tokenId = ''] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(bodyOf()) ?? [];
    const token = await proxy.vault.request('GET', `/tokens/${tokenId}`, { key: proxy.tenant.keys.reveal });
    expect(token.body).toMatchObject({ data: number, created_by: made.applicationId });

    const story = async () =>
      (await proxy.records()).find(
        (record) => record['outcome'] === 'success' && String(record['details']).includes(made.id),
      );
    await untilTrue(async () => (await story()) !== undefined, { waitingFor: 'the record of the call' });
    const record = await story();
    expect(record).toMatchObject({
      operation: 'invoke',
      actor_id: made.applicationId,
      key_id: made.id,
      destination: 'api.provider.example',
      source_address: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    expect(JSON.parse(String(record?.['details']))).toEqual({ proxy: made.id, tokens: [tokenId], count: 1 });
    expect(JSON.stringify(await proxy.vault.auditRecords(proxy.tenant.id))).not.toContain(number);
  });
});

describe('XML', () => {
  const post = async (body: string, transforms: readonly object[] = [tokenizeNumber('xml:/order/card')]) => {
    const made = await makeKeylessProxy(proxy, { request_transforms: transforms });
    return callStored(proxy, made.key, { body, headers: xml });
  };

  it.each([
    ['prefixes', `<o:order xmlns:o="urn:o"><o:card a="&gt;">${number}</o:card></o:order>`],
    ['character references', `<order><card>${[...number].map((digit) => `&#x3${digit};`).join('')}</card></order>`],
    ['sections of text', `<order><card><![CDATA[4242]]>42424242<!-- x --><?x y?>4242</card></order>`],
    [
      'a declaration and line ends',
      `<?xml version="1.0" encoding="UTF-8"?>\r\n<order>\r\n <card>\r\n ${number}\r\n</card></order>`,
    ],
    ['several of them', `<order><card>${number}</card>é𝄞<card >5555555555554444</card ></order>`],
  ])('is replaced with %s, and all else stays as it was', async (_name, body) => {
    expect((await post(body)).status).toBe(200);
    const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
    expect(bodyOf().replaceAll(id, 'TOKEN')).toBe(
      body.replaceAll(/(<(?:o:)?card[^>]*>)(?:(?!<\/(?:o:)?card).)*/gs, '$1TOKEN'),
    );
  });

  it.each([
    ['a document type', `<!DOCTYPE order [<!ENTITY c "${number}">]><order><card>&c;</card></order>`, xml],
    ['an unknown entity', '<order><card>&c;</card></order>', xml],
    ['an element inside', `<order><card><pan>${number}</pan></card></order>`, xml],
    ['an end that is missing', `<order><card>${number}</order>`, xml],
    ['two documents', `<order><card>${number}</card></order><order/>`, xml],
    ['another encoding', `<?xml version="1.0" encoding="UTF-7"?><order><card>${number}</card></order>`, xml],
    ['another character set', `<order><card>${number}</card></order>`, { 'content-type': 'text/xml; charset=utf-16' }],
    ['another version', `<?xml version="1.1"?><order><card>${number}</card></order>`, xml],
    ['too many levels', `${'<a>'.repeat(101)}${'</a>'.repeat(101)}`, xml],
  ])('is refused with %s', async (_name, body, headers) => {
    const made = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber('xml:/order/card')] });
    const before = proxy.destination.seen.length;
    const refused = await callStored(proxy, made.key, { body, headers });
    expect([400, 415]).toContain(refused.status);
    expect(refused.text).not.toContain('4242');
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it('loses elements, and a value cannot become an element', async () => {
    const made = await makeKeylessProxy(proxy, {
      request_transforms: [
        { type: 'remove', options: { location: 'xml:/order/*/cvc' } },
        {
          type: 'tokenize',
          options: { location: 'xml:/order/card', token: { type: 'card_number' }, value: '<b>{{ token.id }}&' },
        },
      ],
    });
    const body = `<order><x><cvc>123</cvc><cvc/></x><card>${number}</card></order>`;
    expect((await callStored(proxy, made.key, { body, headers: xml })).status).toBe(200);
    expect(bodyOf()).toMatch(/^<order><x><\/x><card>&lt;b&gt;[0-9a-f-]{36}&amp;<\/card><\/order>$/);
  });

  it('is masked by element, and its references are replaced with values', async () => {
    const mask = { type: 'mask', expression: String.raw`<pan>(\d{12})` };
    const made = await makeProxy(proxy, { response_transforms: [mask] });
    respond = answer(`<all><x>${'x'.repeat(2_000)}</x><pan>${number}</pan></all>`, 'text/xml');
    const { text } = await callStored(proxy, made.key, { key: proxy.tenant.keys.private });
    expect(text).toContain('<pan>************4242</pan>');
    const id = await proxy.store('<secret>');
    const opened = await makeProxy(proxy, {
      response_transforms: [{ type: 'detokenize', options: { location: 'xml:/all/id' } }],
    });
    respond = answer(`<all><id>${id}</id></all>`, 'text/xml');
    const shown = await callStored(proxy, opened.key, { key: proxy.tenant.keys.reveal });
    expect([shown.status, shown.text]).toEqual([200, '<all><id>&lt;secret&gt;</id></all>']);
  });
});

describe('callers of a route', () => {
  const secret = 'a-secret-of-the-partner';
  const check = (more: object = {}) => ({
    configuration: { PARTNER: secret },
    caller_check: { type: 'hmac-sha256', header: 'X-Signature', secret: 'PARTNER', ...more },
  });
  const sign = (body: string, key = secret, encoding: 'hex' | 'base64' = 'hex', hash = 'sha256') =>
    createHmac(hash, key).update(body).digest(encoding);

  it.each([
    ['hmac-sha256', {}, (body: string) => sign(body)],
    ['hmac-sha256 in capitals', {}, (body: string) => sign(body).toUpperCase()],
    [
      'a prefix and base64',
      { encoding: 'base64', prefix: 'v1=' },
      (body: string) => `v1=${sign(body, secret, 'base64')}`,
    ],
    ['hmac-sha512', { type: 'hmac-sha512' }, (body: string) => sign(body, secret, 'hex', 'sha512')],
    ['the secret itself', { type: 'secret' }, () => secret],
  ])('prove who they are with %s, and the proof stays here', async (_name, more, toProof) => {
    const made = await makeKeylessProxy(proxy, check(more));
    const body = '{"a":1}';
    const call = (proof?: string) =>
      callStored(proxy, made.key, { body, headers: proof === undefined ? {} : { 'X-Signature': proof } });
    expect((await call(toProof(body))).status).toBe(200);
    expect(headersOf(proxy.destination.last)['x-signature']).toBeUndefined();
    const before = proxy.destination.seen.length;
    for (const proof of [undefined, '', 'x', toProof(body).slice(0, -1), sign('{"a":2}'), sign(body, 'another')])
      expect((await call(proof)).status).toBe(401);
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it('are refused before anything is parsed', async () => {
    const made = await makeKeylessProxy(proxy, { ...check(), request_transforms: [tokenizeNumber()] });
    expect((await callStored(proxy, made.key, { body: 'no {{ JSON' })).status).toBe(401);
  });

  it('come from the networks of the route only', async () => {
    const near = await makeKeylessProxy(proxy, { allowed_sources: ['203.0.113.0/24', '127.0.0.0/8', '::1'] });
    expect((await callStored(proxy, near.key)).status).toBe(200);
    const before = proxy.destination.seen.length;
    const far = await makeKeylessProxy(proxy, { allowed_sources: ['203.0.113.0/24', '2001:db8::/32'] });
    expect((await callStored(proxy, far.key, { body: 'no {{ JSON' })).status).toBe(403);
    const keyed = await makeProxy(proxy, { allowed_sources: ['203.0.113.7'] });
    expect((await callStored(proxy, keyed.key, { key: proxy.tenant.keys.private })).status).toBe(403);
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it('cannot make it call their own form twice', async () => {
    const made = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber('form:number')] });
    const body = `number=${number}&number=${number}`;
    expect((await callStored(proxy, made.key, { body, headers: form })).status).toBe(200);
    expect(bodyOf()).not.toContain('4242');
  });
});
