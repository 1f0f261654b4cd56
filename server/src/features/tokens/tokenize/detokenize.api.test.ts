import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../../test/harness/problem-text.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication, fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await create('text', '"Sensitive Value"');
  await create('object', '{"number":"4242","nested":{"list":[1.0,{"deep":"x"}]}}');
  await create('list', '[1,"two",null]');
  await create('exact', '1.0');
  await create('huge', '1e400');
  await create('wide', '12345678901234567890');
  await create('true', 'true');
  await create('nil', 'null');
  await create('für Ada @:;,é', '"with an odd id"');
});
afterAll(() => vault.stop());

async function create(id: string, data: string, more: object = {}, key = tenant.keys.private): Promise<void> {
  const rest = JSON.stringify({ id, type: 'token', ...more }).slice(0, -1);
  const answer = await vault.request('POST', '/tokens', { key, rawBody: `${rest},"data":${data}}` });
  expect(answer.status).toBe(201);
}

const detokenize = (body: unknown, key = tenant.keys.reveal, headers: Record<string, string> = {}) =>
  vault.request('POST', '/detokenize', { key, body, headers });
const detailOf = (answer: TestResponse) => (answer.body as { detail: string }).detail;

describe('a reference', () => {
  it.each([
    ['{{ text }}', '"Sensitive Value"'],
    ['{{text}}', '"Sensitive Value"'],
    ['{{   text\t}}', '"Sensitive Value"'],
    ['{{ für Ada @:;,é }}', '"with an odd id"'],
    ["{{ object | json: '$.number' }}", '"4242"'],
    ['{{ object | json: "$.nested.list[1].deep" }}', '"x"'],
    ["{{ object | json: '$.nested' }}", '{"list":[1.0,{"deep":"x"}]}'],
    ["{{ object | json: '$.nested.list[0]' }}", '1.0'],
    ["{{ object | json: '$.none' }}", 'null'],
    ['{{ text | upcase }}', '"SENSITIVE VALUE"'],
    ['{{ text | reveal_last: 5 }}', '"XXXXXXXXXXValue"'],
    ["{{ text | split: ' ' | last | downcase }}", '"value"'],
    ['{{ list | first }}', '1'],
    ['{{ exact | to_string }}', '"1.0"'],
    ['{{ list | stringify }}', '"[1,\\"two\\",null]"'],
  ])('%s stands for %s', async (text, value) => {
    const answer = await detokenize({ a: text });
    expect(answer).toMatchObject({ status: 200, text: `{"a":${value}}` });
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it.each([
    ['object', '{"number":"4242","nested":{"list":[1.0,{"deep":"x"}]}}'],
    ['list', '[1,"two",null]'],
    ['exact', '1.0'],
    ['huge', '1e400'],
    ['wide', '12345678901234567890'],
    ['true', 'true'],
    ['nil', 'null'],
  ])('to %s alone yields the native value, as it was spelled', async (id, value) => {
    expect((await detokenize([`{{ ${id} }}`])).text).toBe(`[${value}]`);
    expect((await detokenize(`{{ ${id} }}`)).text).toBe(value);
  });

  it.each([
    ['Dear {{ text }}!', 'Dear Sensitive Value!'],
    [' {{ text }}', ' Sensitive Value'],
    ['{{ exact }}{{ huge }}', '1.01e400'],
    ['a{{ nil }}b{{ true }}', 'abtrue'],
    ['{{ list }};', '[1,"two",null];'],
    ["{{ object | json: '$.nested' }}/{{ text }}", '{"list":[1.0,{"deep":"x"}]}/Sensitive Value'],
  ])('in %j is put into the text', async (text, value) => {
    expect((await detokenize({ a: text })).body).toEqual({ a: value });
  });

  it('as token: stands for the whole token, as a read shows it', async () => {
    const single = await vault.request('GET', '/tokens/object', { key: tenant.keys.reveal });
    expect((await detokenize({ a: '{{ token: object }}' })).body).toEqual({ a: single.body });
    expect((await detokenize(['{{ token:object }}'])).body).toEqual([single.body]);
    expect(
      (await detokenize(["{{ token: object | json: '$.data.number' }}", "{{ token: exact | json: '$.data' }}"])).text,
    ).toBe('["4242",1.0]');
    expect((await detokenize(["{{ token: text | json: '$.containers[0]' }}"])).body).toEqual(['/general/high/']);
  });

  it('is found anywhere in a document, whose rest is left alone', async () => {
    const rawBody =
      '{"z":1.0,"__proto__":["{{ exact }}",{"ü":"{{ text }}"}],"{{ text }}":"{{ true }}","e":[1e400,null,{},[],"","{ }"],"n":"\\u0041"}';
    const answer = await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, rawBody });
    expect(answer.text).toBe(
      '{"z":1.0,"__proto__":[1.0,{"ü":"Sensitive Value"}],"{{ text }}":true,"e":[1e400,null,{},[],"","{ }"],"n":"\\u0041"}',
    );
  });

  it.each(['{}', '[]', '1.0', 'false', '"plain"', '[{"a":"} }"}]'])('is not needed: %s comes back', async (rawBody) => {
    expect(await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, rawBody })).toMatchObject({
      status: 200,
      text: rawBody,
    });
  });

  it('in a value is not followed', async () => {
    await create('outer', '{"a":"{{ text }}","b":["{{ none }}","{{"]}');
    await create('half-1', '"{{"');
    await create('half-2', '" text }}"');
    expect((await detokenize('{{ outer }}')).body).toEqual({ a: '{{ text }}', b: ['{{ none }}', '{{'] });
    expect((await detokenize("{{ outer | json: '$.a' }}")).body).toBe('{{ text }}');
    expect((await detokenize('{{ half-1 }}{{ half-2 }}')).body).toBe('{{ text }}');
  });

  it('shows a card with its verification code', async () => {
    const data = { number: '4242424242424242', cvc: '987' };
    await create('card', JSON.stringify(data), { type: 'card' });
    expect((await detokenize({ card: '{{ card }}', cvc: "{{ card | json: '$.cvc' }}" })).body).toEqual({
      card: data,
      cvc: '987',
    });
  });
});

describe('what a caller sees', () => {
  it('is masked for a key that reads masked', async () => {
    await create('masked', '"123-45-6789"', { mask: '{{ data | reveal_last: 4 }}' });
    const key = tenant.keys.private;
    expect(
      (await detokenize(['{{ masked }}', 'is {{ masked }}', '{{ masked | last4 }}', '{{ text }}'], key)).body,
    ).toEqual(['XXX-XX-6789', 'is XXX-XX-6789', '6789', null]);
    const token = await detokenize('{{ token: masked }}', key);
    expect(token.body).toMatchObject({ id: 'masked', data: 'XXX-XX-6789' });
    expect(token.text).not.toContain('123-45');
  });

  it('differs by container: revealed here, masked there, redacted elsewhere', async () => {
    for (const place of ['r', 'm', 'x'])
      await create(`in-${place}`, '"value"', { containers: [`/${place}/`], mask: 'masked' });
    const rule = (container: string, transform: string, priority: number) => ({
      description: '',
      priority,
      container,
      transform,
      permissions: ['token:read'],
    });
    const rules = [rule('/r/', 'reveal', 1), rule('/m/', 'mask', 2), rule('/x/', 'redact', 3)];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    expect((await detokenize(['{{ in-r }}', '{{ in-m }}', '{{ in-x }}', '<{{ in-x }}>'], key)).body).toEqual([
      'value',
      'masked',
      null,
      '<>',
    ]);
  });
});

describe('a refused detokenization', () => {
  const read = async (requestId: string) =>
    (await vault.auditRecords(tenant.id)).filter((record) => record['request_id'] === requestId);

  it('400 names unknown ids, shows nothing and records that they were missed', async () => {
    const requestId = `trace-${crypto.randomUUID()}`;
    const answer = await detokenize(['{{ text }}', '{{ none-1 }}', 'x {{ token: none-2 }}'], tenant.keys.reveal, {
      'bt-trace-id': requestId,
    });
    expect(answer.status).toBe(400);
    expect(detailOf(answer)).toBe('Failed to detokenize some tokens: none-1, none-2. Tokens were not found.');
    expect(answer.text).not.toContain('Sensitive');
    expect(await read(requestId)).toMatchObject([
      { entity_id: '*', operation: 'read', outcome: 'missed', transform: null, details: '{"found":1,"missing":2}' },
    ]);
  });

  it('400 answers for foreign, expired, deleted and absent ids alike', async () => {
    const other = await vault.makeTenant();
    const [foreign = '', expired = '', deleted = '', absent = ''] = Array.from({ length: 4 }, (): string =>
      crypto.randomUUID(),
    );
    await create(foreign, '1', {}, other.keys.private);
    await create(expired, '1', { expires_at: '2099-01-01' });
    await create(deleted, '1');
    await vault.database.owner.query('update tokens set expires_at = now() where id = $1', [expired]);
    await vault.request('DELETE', `/tokens/${deleted}`, { key: tenant.keys.private });
    const answers = await Promise.all(
      [foreign, expired, deleted, absent].map(async (id) => {
        const { status, text } = await detokenize(`{{ ${id} }}`);
        return `${status} ${withoutTraceId(text).replaceAll(id, '<id>')}`;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^400 .*<id>/);
    expect((await vault.auditRecords(other.id)).filter((record) => record['operation'] === 'read')).toEqual([]);
  });

  it.each([
    ['a.0', { a: ['{{ }}'] }],
    ['a.b', { a: { b: 'x {{ text' } }],
    ['a', { a: '{{ text | no_such_filter }}' }],
    ['a', { a: "{{ text | json: 'not a path' }}" }],
    ['a', { a: '{{ text | to_number }}' }],
    ['a', { a: "{{ object | json: '$..deep' }}" }],
    ['a', { a: '{{ a/b }}' }],
    ['a', { a: `{{ ${'x'.repeat(401)} }}` }],
    ['a', { a: '{{ text | hmac: "sha-256", "key" }}' }],
    ['body', '{{'],
  ])('400 names %s', async (field, body) => {
    const answer = await detokenize(body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual([field]);
    expect(answer.text).not.toMatch(/Sensitive|no_such_filter|not a path/);
  });

  it('400 without a body', async () => {
    for (const rawBody of [undefined, '', 'null']) {
      const answer = await vault.request('POST', '/detokenize', {
        key: tenant.keys.reveal,
        ...(rawBody === undefined ? {} : { rawBody }),
      });
      expect(answer.status).toBe(400);
    }
  });

  it('400 refuses more than 100 distinct tokens, and takes 100', async () => {
    const made = await vault.request('POST', '/tokenize', {
      key: tenant.keys.private,
      body: Array.from({ length: 101 }, (_, index) => `v${index}`),
    });
    const ids = made.body as string[];
    const hundred = ids.slice(0, 100).map((id) => `{{ ${id} }}`);
    expect((await detokenize([...hundred, ...hundred])).body).toEqual(
      Array.from({ length: 200 }, (_, index) => `v${index % 100}`),
    );
    for (const body of [ids.map((id) => `{{ ${id} }}`), ids.map((id) => `{{ ${id} }}`).join(' ')]) {
      const answer = await detokenize(body);
      expect(answer.status).toBe(400);
      expect(detailOf(answer)).toContain('100');
    }
  });

  it('400 refuses a document that would grow without bound', async () => {
    await create('large', JSON.stringify('x'.repeat(1_000_000)));
    expect((await detokenize(Array<string>(3).fill('{{ large }}'))).status).toBe(200);
    const answer = await detokenize({ a: Array<string>(50).fill('{{ large }}') });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)[0]).toMatch(/^a\.\d+$/);
  });

  it('403 for a token that exists and that the key may not read, without showing the others', async () => {
    await create('hidden', '"hidden value"', { containers: ['/hidden/'] });
    const rules = [
      { description: '', priority: 1, container: '/general/', transform: 'reveal', permissions: ['token:read'] },
    ];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    expect((await detokenize(['{{ text }}'], key)).body).toEqual(['Sensitive Value']);
    const requestId = `trace-${crypto.randomUUID()}`;
    const answer = await detokenize(['{{ text }}', '{{ hidden }}'], key, { 'bt-trace-id': requestId });
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:read on container /hidden/' },
    });
    expect(answer.text).not.toMatch(/Sensitive|hidden value/);
    expect((await read(requestId)).filter((record) => record['outcome'] === 'success')).toEqual([]);
  });

  it('403 for a key without token:read', async () => {
    expect(await detokenize({}, tenant.keys.public)).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:read' },
    });
  });
});

describe('the work of a detokenization', () => {
  it('is one query and one record for each token, however often it is named', async () => {
    const tap = new StatementTap();
    try {
      const headers = { 'bt-trace-id': `trace-${crypto.randomUUID()}` };
      const body = {
        a: '{{ text }}',
        b: ['{{ text | upcase }}', '{{ object }} {{ text }}', '{{ token: text }}', '{{ text }}'],
      };
      const reads = await tap.during(() => detokenize(body, tenant.keys.reveal, headers), 'from tokens');
      expect(reads.map(({ values }) => values)).toEqual([[tenant.id, ['text', 'object']]]);
      const records = (await vault.auditRecords(tenant.id)).filter(
        (record) => record['request_id'] === headers['bt-trace-id'],
      );
      const told = records.map((record) => ['entity_id', 'operation', 'outcome'].map((name) => record[name]).join(' '));
      expect(told.toSorted()).toEqual(['object read success', 'text read success']);
      expect(await tap.during(() => detokenize({ a: 'nothing to look up' }), 'from tokens')).toEqual([]);
    } finally {
      tap.close();
    }
  });
});
