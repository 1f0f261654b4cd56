import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsBuild } from '../harness/elements-build.ts';
import { destinationHost, proxyErrorOf, ProxyVault } from '../harness/proxy-vault.ts';
import { createApplication } from '../harness/test-application.ts';

/*
 * Previously, the proxy named the field whose expression failed over a stored value. With ten fields, each failing for
 * one digit, a caller could read a number that it may only send to a destination. Nothing was sent to the destination.
 */
const origin = 'https://elements.example.com';
const secret = '4012888888881881';
const digits = [...'0123456789'];

let build: ElementsBuild;
let proxy: ProxyVault;
let id: string;
let sender: string;
beforeAll(async () => {
  build = await ElementsBuild.make();
  proxy = await ProxyVault.start({ elements: { config: { url: origin, port: 0 }, folder: build.folder } });
  id = await proxy.store({ number: secret });
  const grant = { permissions: ['token:use'], allowed_destinations: [destinationHost] };
  sender = (await createApplication(proxy.vault, proxy.tenant, grant)).key;
});
afterAll(async () => {
  await proxy.stop();
  await build.remove();
});

/** An expression that fails if the digit at this place is the given one. */
const probe = (place: number, digit: string, token = id) =>
  `{{ ${token} | json: '$.number' | slice: ${place}, 1 | replace: '${digit}', 'x' | to_number }}`;
const probesAt = (place: number) => Object.fromEntries(digits.map((digit) => [`d${digit}`, probe(place, digit)]));
const headers = { 'content-type': 'application/json' };

describe('a key with a list of destinations', () => {
  const send = (body: object | string, more: Readonly<Record<string, string>> = {}) =>
    proxy.call({
      key: sender,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...headers, ...more },
    });
  const problemOf = async (sent: ReturnType<typeof send>) => {
    const answer = await sent;
    const { status, title, detail, errors } = proxyErrorOf(answer);
    return JSON.stringify([answer.status, status, title, detail, errors]);
  };

  it('is told neither where nor why an expression failed, whatever the value is', async () => {
    const problems = await Promise.all([...secret].map((_, place) => problemOf(send(probesAt(place)))));
    expect(new Set(problems).size).toBe(1);
    expect(problems[0]).not.toMatch(/d\d|character/);
  });

  const first = () => `{{ ${id} | json: '$.number' | slice: 0, 1`;
  it.each([
    ['a path', () => send({}, { 'bt-proxy-url': `${proxy.url}/${first()} | replace: '4', '.' }}` })],
    ['a query', () => send({}, { 'bt-proxy-url': `${proxy.url}?a=${first()} | replace: '4', 'x' | to_number }}` })],
    ['a header', () => send({}, { 'x-probe': `${first()} | replace: '4', 'x' | to_number }}` })],
    ['an XML body', () => send(`${first()} | replace: '4', '\u0001' }}`, { 'content-type': 'text/xml' })],
    ['an upload', () => send(`${first()} | prepend: '--' }}`, { 'content-type': 'multipart/form-data; boundary=4' })],
  ])('is told the same if a value does not fit %s', async (_, call) => {
    expect(await problemOf(call())).toBe(await problemOf(send({ a: probe(0, '4') })));
  });

  it('leaves a record of the token with every failure', async () => {
    const list = async () =>
      (await proxy.vault.auditRecords(proxy.tenant.id)).filter((record) => record['entity_id'] === id);
    const before = (await list()).length;
    await send({ a: probe(0, '4') });
    expect((await list()).slice(before)).toEqual([
      expect.objectContaining({ operation: 'read', transform: 'reveal', destination: destinationHost }),
    ]);
  });

  it('still computes what it sends', async () => {
    const answer = await send({ month: `{{ ${id} | json: '$.number' | slice: 0, 2 | to_number }}` });
    expect(answer.status).toBe(200);
    expect(proxy.destination.last.body.toString()).toBe('{"month":40}');
  });
});

it('a key that may send anywhere is still told which field failed', async () => {
  const { key } = await createApplication(proxy.vault, proxy.tenant, { permissions: ['token:use'] });
  const answer = await proxy.call({ key, body: JSON.stringify({ a: probe(0, '4') }), headers });
  expect(Object.keys(proxyErrorOf(answer)['errors'] as object)).toEqual(['a']);
});

describe('a session of card fields', () => {
  const frame = { origin, 'sec-fetch-site': 'same-origin' };
  let session: string;
  const ask = (path: string, given: { key: string; body?: object; headers?: Readonly<Record<string, string>> }) =>
    proxy.vault.request('POST', path, {
      ...given,
      url: proxy.vault.server.elementsUrl ?? '',
      headers: { ...frame, ...given.headers },
    });
  beforeAll(async () => {
    const { body } = await ask('/api/sessions', { key: proxy.tenant.keys.public });
    const { session_key, nonce } = body as { session_key: string; nonce: string };
    session = session_key;
    const grant = { nonce, permissions: ['token:use'], origin: 'elements' };
    expect((await proxy.vault.request('POST', '/sessions/authorize', { key: sender, body: grant })).status).toBe(200);
  });
  const send = (text: string, where: 'body' | 'header' | 'query' | 'path' = 'body') => {
    const plain = encodeURIComponent(text);
    const url = { query: `${proxy.url}?a=${plain}`, path: `${proxy.url}/${plain}` };
    return ask('/api/proxy', {
      key: session,
      ...(where === 'body' ? { body: { a: text } } : {}),
      headers: {
        'bt-proxy-url': where === 'query' || where === 'path' ? url[where] : proxy.url,
        ...(where === 'header' ? { 'x-probe': text } : {}),
      },
    });
  };

  it.each([
    ['fails', (token: string) => probe(0, '4', token)],
    ['holds', (token: string) => probe(0, '5', token)],
    ['names no token at all', () => probe(0, '4', 'a-token-that-does-not-exist')],
    ['cannot fail', (token: string) => `{{ ${token} | json: '$.number' | slice: 0, 1 }}`],
    ['counts', (token: string) => `{{ ${token} | json: '$.*' }}`],
  ])('gets the same 400 for an expression that %s, and nothing is opened or sent', async (_, expression) => {
    const [sent, records] = [proxy.destination.seen.length, (await proxy.records()).length];
    const answer = await send(expression(id));
    expect(answer.status).toBe(400);
    expect(proxyErrorOf(answer)['errors']).toEqual({ a: [expect.stringContaining('can only name a token')] });
    expect([proxy.destination.seen.length, (await proxy.records()).length]).toEqual([sent, records]);
  });

  it.each(['header', 'query', 'path'] as const)('computes nothing in a %s either', async (where) => {
    const answer = await send(`{{ ${id} | json: '$.number' | slice: 0, 1 }}`, where);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(proxyErrorOf(answer)['errors'])).toContain('can only name a token');
  });

  it.each([
    ['a token', () => `{{ ${id} }}`, `{"a":{"number":"${secret}"}}`],
    ['a member', () => `{{ ${id} | json: '$.number' }}`, `{"a":"${secret}"}`],
    ['a member within text', () => `no. {{ ${id} | json: '$.number' }}`, `{"a":"no. ${secret}"}`],
    ['a member of the token', () => `{{ token: ${id} | json: '$.data' | json: '$.number' }}`, `{"a":"${secret}"}`],
  ])('still sends %s', async (_, expression, expected) => {
    expect((await send(expression())).status).toBe(200);
    expect(proxy.destination.last.body.toString()).toBe(expected);
  });
});
