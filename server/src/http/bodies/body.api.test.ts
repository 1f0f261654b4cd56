import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonSpellings, otherContentTypes } from '../../../test/harness/content-types.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { fieldsOf } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const valid = JSON.stringify({ name: 'A', type: 'private', permissions: ['token:read'] });
const invalid = JSON.stringify({ name: 'A', type: 'private', permissions: ['token:everything'] });
const post = (rawBody: string | Uint8Array, headers: Record<string, string> = {}) =>
  vault.request('POST', '/applications', { key: tenant.keys.management, rawBody, headers });

describe('the content type', () => {
  it.each(jsonSpellings('application/json'))('is JSON, and is validated: %j', async (type) => {
    expect((await post(valid, { 'content-type': type })).status).toBe(201);
    const refused = await post(invalid, { 'content-type': type });
    expect(refused.status).toBe(400);
    expect(fieldsOf(refused)).toEqual(['permissions.0']);
  });

  it.each(otherContentTypes)('is refused, and nothing is read: %j', async (type) => {
    for (const body of [valid, invalid]) {
      const head = requestHead('POST /applications', {
        'bt-api-key': tenant.keys.management,
        'content-type': type,
        'content-length': String(body.length),
      });
      const answer = await sendRaw(vault.server.url, Buffer.from(head + body, 'utf8'));
      expect([400, 415]).toContain(answer.status);
      expect(answer.body).not.toContain('permissions');
    }
  });

  it('is refused when it is missing', async () => {
    const head = requestHead('POST /applications', {
      'bt-api-key': tenant.keys.management,
      'content-length': String(valid.length),
    });
    expect((await sendRaw(vault.server.url, head + valid)).status).toBe(415);
  });

  it.each([
    ['application/json', 'text/plain'],
    ['text/plain', 'application/json'],
  ])('never skips validation when it is sent twice: %s, then %s', async (first, second) => {
    const head = requestHead('POST /applications', {
      'bt-api-key': tenant.keys.management,
      'content-type': `${first}\r\ncontent-type: ${second}`,
      'content-length': String(invalid.length),
    });
    expect([400, 415]).toContain((await sendRaw(vault.server.url, head + invalid)).status);
  });

  it('415 says what the endpoint takes', async () => {
    const answer = await post(valid, { 'content-type': 'text/plain' });
    expect(answer).toMatchObject({
      status: 415,
      body: { type: '/docs/errors/unsupported-media-type', detail: 'This endpoint accepts application/json.' },
    });
  });

  it('of a compressed body changes nothing: it is not opened', async () => {
    const gzip = Buffer.from('1f8b0800000000000003abae050043bfa6a302000000', 'hex');
    expect((await post(gzip, { 'content-encoding': 'gzip' })).status).toBe(400);
  });
});

describe('the content type of a token', () => {
  const routes = [
    ['POST', '/tokens', 'application/json'],
    ['POST', '/tokenize', 'application/json'],
    ['POST', '/tokens/search', 'application/json'],
    ['PATCH', '/tokens/some-id', 'application/merge-patch+json'],
  ] as const;
  const wrong = JSON.stringify({ type: 7, data: { type: 7, data: 1 }, containers: 'canary', query: 7 });
  const send = (line: string, type: string) =>
    sendRaw(
      vault.server.url,
      Buffer.from(
        requestHead(line, {
          'bt-api-key': tenant.keys.private,
          'content-type': type,
          'content-length': String(wrong.length),
        }) + wrong,
      ),
    );

  it.each(routes)('never skips validation on %s %s', async (method, path, type) => {
    for (const spelling of jsonSpellings(type)) {
      const answer = await send(`${method} ${path}`, spelling);
      expect([spelling, answer.status, answer.body.includes('"errors"')]).toEqual([spelling, 400, true]);
    }
    const others = type === 'application/json' ? otherContentTypes : ['application/json', ...otherContentTypes];
    for (const other of others.filter((one) => one !== type)) {
      const answer = await send(`${method} ${path}`, other);
      expect([other, [400, 415].includes(answer.status), answer.body.includes('"errors"')]).toEqual([
        other,
        true,
        false,
      ]);
    }
  });
});

describe('the body', () => {
  const nested = (depth: number) => `{"name":"A","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  it.each<[string, string | Uint8Array]>([
    ['cut off', valid.slice(0, -1)],
    ['two documents', `${valid}${valid}`],
    ['a trailing comma', '{"name":"A",}'],
    ['a comment', '{"name":"A"/**/}'],
    ['single quotes', `{'name':'A'}`],
    ['NaN', '{"name":NaN}'],
    ['a byte order mark', `\ufeff${valid}`],
    ['a repeated name', '{"name":"A","name":"B"}'],
    ['a repeated name in another spelling', String.raw`{"name":"A","\u006eame":"B"}`],
    ['65 levels', nested(65)],
    ['a million levels', '['.repeat(1_000_000)],
    ['half a character', Buffer.from([0x22, 0xc3, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from(valid, 'utf16le')],
    ['nothing', ''],
  ])('400 for %s', async (_name, rawBody) => {
    const answer = await post(rawBody);
    expect(answer).toMatchObject({ status: 400, body: { type: '/docs/errors/malformed-json', status: 400 } });
    expect(answer.body).not.toHaveProperty('errors');
  });

  it('400 for 64 levels is about what is missing, not about the depth', async () => {
    const answer = await post(nested(64));
    expect(fieldsOf(answer)).toContain('type');
  });

  it('names several errors at once, and not without end', async () => {
    const answer = await post('{"name":7,"type":"x","rules":7}');
    expect(fieldsOf(answer).toSorted()).toEqual(['name', 'rules', 'type']);
    const many = JSON.stringify({ name: 'A', type: 'private', permissions: Array(50).fill('x') });
    expect(fieldsOf(await post(many)).length).toBeLessThanOrEqual(50);
  });

  it('is taken up to 4 MiB', async () => {
    const padded = `${valid}${' '.repeat(4 * 1024 * 1024 - valid.length)}`;
    expect((await post(padded)).status).toBe(201);
  });

  it.each<[string, Record<string, string>, string]>([
    ['announced', { 'content-length': String(4 * 1024 * 1024 + 1) }, ''],
    ['sent in chunks', { 'transfer-encoding': 'chunked' }, `400001\r\n${' '.repeat(4 * 1024 * 1024 + 1)}\r\n0\r\n\r\n`],
  ])('413 above 4 MiB, %s, and the connection is closed', async (_name, headers, body) => {
    const head = requestHead('POST /applications', {
      connection: 'keep-alive',
      'bt-api-key': tenant.keys.management,
      'content-type': 'application/json',
      ...headers,
    });
    const answer = await sendRaw(vault.server.url, head + body);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/body-too-large', status: 413 });
    expect(answer.headers['connection']).toBe('close');
  });

  it.each([
    ['a list', `{"name":"A","type":"private","permissions":[${'1,'.repeat(500_000)}1]}`],
    ['a list of lists', `{"name":"A","type":"private","rules":[${'[],'.repeat(330_000)}[]]}`],
    ['a map', `{"name":"A","settings":{${Array.from({ length: 90_000 }, (_, key) => `"${key}":1`).join(',')}}}`],
  ])('of a megabyte in %s is refused without holding others up', async (_name, rawBody) => {
    const path = rawBody.includes('settings') ? '/tenants/self' : '/applications';
    const method = rawBody.includes('settings') ? 'PUT' : 'POST';
    const before = process.threadCpuUsage();
    const answer = await vault.request(method, path, { key: tenant.keys.management, rawBody });
    expect(answer.status).toBe(400);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(700);
  });
});

describe('a number that JavaScript cannot hold', () => {
  const numbers = ['1e400', '-0', '12345678901234567890', '1.0'];
  it.each<[string, string, (number: string) => string]>([
    ['POST', '/tokens/search', (number) => number],
    ['POST', '/v2/tokens/search', (number) => number],
    ['POST', '/tokens', (number) => `{"type":"token","data":1,"metadata":${number}}`],
    ['POST', '/tokenize', (number) => `{"a":[{"type":"token","data":1,"metadata":${number}}]}`],
    ['PUT', '/tenants/self', (number) => `{"name":"A","settings":${number}}`],
    ['PUT', '/tenants/self', (number) => number],
    [
      'POST',
      '/applications',
      (number) => `{"name":"A","type":"private","permissions":["token:read"],"rules":[${number}]}`,
    ],
  ])('400 in place of an object: %s %s', async (method, path, bodyWith) => {
    const key = /token/.test(path) ? tenant.keys.private : tenant.keys.management;
    for (const number of numbers) {
      const answer = await vault.request(method, path, { key, rawBody: bodyWith(number) });
      expect([number, answer.status, fieldsOf(answer).length > 0]).toEqual([number, 400, true]);
    }
  });

  it('is data like any other', async () => {
    for (const number of numbers) {
      const rawBody = `{"type":"token","data":[${number}],"mask":{"a":"x"}}`;
      const answer = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody });
      expect([answer.status, answer.text.includes(`"data":[${number}]`)]).toEqual([201, true]);
    }
  });
});

describe('a refusal', () => {
  const canary = 'c4n4ry';
  const rule = { description: canary, priority: canary, container: canary, transform: canary, permissions: [canary] };
  it.each<[string, string, object]>([
    [
      'POST',
      '/applications',
      { name: { canary }, type: canary, permissions: [canary], rules: [rule], expires_at: canary, create_key: canary },
    ],
    ['POST', '/applications', { name: canary.repeat(100), type: 'private', permissions: [canary], rules: canary }],
    ['POST', '/applications', { name: 'A', type: 'private', permissions: ['token:read'], expires_at: canary }],
    [
      'POST',
      '/applications',
      { name: 'A', type: 'private', rules: [{ ...rule, priority: 1, transform: 'mask', permissions: ['token:read'] }] },
    ],
    ['PUT', '/tenants/self', { name: [canary], settings: { a: { canary }, b: [canary] } }],
    ['PUT', '/tenants/self', { name: canary, settings: { [`${canary}\n`]: canary } }],
    ['PUT', '/tenants/self', { name: canary, settings: { [canary.repeat(100)]: canary } }],
    ['GET', `/applications?page=${canary}&size=${canary}`, {}],
    ['GET', `/permissions?application_type=${canary}`, {}],
    ['GET', `/applications/${canary}`, {}],
    ['DELETE', `/applications/${canary}/keys/${canary}`, {}],
    ['GET', `/docs/errors/${canary}`, {}],
  ])('of %s %s repeats nothing that was sent', async (method, path, body) => {
    const answer = await vault.request(method, path, {
      key: tenant.keys.management,
      ...(method === 'GET' ? {} : { body }),
      headers: { 'x-canary': canary, cookie: canary, 'user-agent': canary, referer: `http://${canary}/` },
    });
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).not.toContain(canary);
    expect(JSON.stringify([...answer.headers])).not.toContain(canary);
  });

  it.each([`{"${canary}`, `{"a":${canary}}`, `${valid}${canary}`, `{"${canary}":1,"${canary}":2}`, `"${canary}\n"`])(
    'of malformed JSON repeats nothing of it: %s',
    async (rawBody) => {
      const answer = await post(rawBody);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain(canary);
    },
  );

  it('leaves nothing of what was sent in the log', () => {
    expect(vault.logLines.length).toBeGreaterThan(100);
    expect(vault.logLines.join('\n')).not.toContain(canary);
  });
});
