import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, recordsOf, utcTimestamp } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const number = '4242424242424242';
const versionOf = async (id: string) => {
  const { rows } = await vault.database.owner.query('select version from tokens where id = $1', [id]);
  return (rows[0] as { version: number }).version;
};

describe('PATCH /tokens/{id} 200', () => {
  it('answers with the whole token, who changed it and when', async () => {
    const created = await tokens.make({ data: { a: 1 }, metadata: { k: 'v' } }, { key: tenant.keys.private });
    const answer = await tokens.patch(created.id, { data: { b: 2 } });
    const application = await vault.request('GET', '/applications/key', { key: tenant.keys.reveal });
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({
      ...created,
      data: { a: 1, b: 2 },
      fingerprint: expect.not.stringMatching(created.fingerprint ?? ''),
      modified_by: (application.body as { id: string }).id,
      modified_at: expect.stringMatching(utcTimestamp),
    });
    expect((await tokens.get(created.id)).body).toStrictEqual(answer.body);
  });

  it('counts versions, and records each update once', async () => {
    const { id } = await tokens.make({ data: 1 });
    for (const data of [2, 3, 4]) await tokens.patch(id, { data });
    expect(await versionOf(id)).toBe(4);
    const operations = (await recordsOf(vault, tenant, id)).map(({ operation }) => operation);
    expect(operations).toStrictEqual(['create', 'update', 'update', 'update']);
  });

  it('changes nothing but the time where the patch is empty', async () => {
    const body = {
      data: { a: 1 },
      mask: 'm',
      metadata: { k: 'v' },
      search_indexes: ['{{ data.a }}'],
      expires_at: '2050-01-01',
    };
    const created = await tokens.make(body);
    const { modified_at: _, modified_by: __, ...rest } = tokenOf(await tokens.patch(created.id, {}));
    expect(rest).toStrictEqual(created);
  });

  it('takes the media type with its charset, and in any case', async () => {
    const { id } = await tokens.make({ data: 1 });
    for (const type of ['application/merge-patch+json; charset=utf-8', 'Application/Merge-Patch+JSON']) {
      const headers = { 'content-type': type };
      const answer = await vault.request('PATCH', `/tokens/${id}/`, {
        key: tenant.keys.reveal,
        rawBody: '{"data":2}',
        headers,
      });
      expect(answer.status).toBe(200);
    }
  });

  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2},"constructor":3}', '{"__proto__":{"a":1,"b":2},"constructor":3}'],
    ['{"a":{"b":1}}', '{"a":null}', '{}'],
    ['"text"', '{"a":1}', '{"a":1}'],
    ['null', '{"a":1}', '{"a":1}'],
  ])('merges into data as RFC 7386 does: %s and %s give %s', async (original, patch, result) => {
    const { id } = tokenOf(await tokens.createRaw(original));
    const answer = await tokens.patchRaw(id, `{"data":${patch}}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"data":${result},`);
    expect((await tokens.get(id)).text).toBe(answer.text);
  });

  it('merges into a supplied mask, and takes it back to the default with null', async () => {
    const { id } = await tokens.make({ type: 'card', data: { number }, mask: { a: 'x', b: { c: 'y' } } });
    const patched = async (mask: unknown) => tokenOf(await tokens.patch(id, { mask }, { key: tenant.keys.private }));
    expect(await patched({ a: null, b: { d: '{{ data.number | last4 }}' } })).toMatchObject({
      mask: { b: { c: 'y', d: '{{ data.number | last4 }}' } },
      data: { b: { c: 'y', d: '4242' } },
    });
    expect(await patched('all')).toMatchObject({ mask: 'all', data: 'all' });
    expect(await patched(null)).toMatchObject({
      data: { number: 'XXXXXXXXXXXX4242' },
      mask: { number: 'XXXXXXXXXXXX4242' },
    });
  });

  it('merges into the default mask where none was supplied', async () => {
    const { id } = await tokens.make({ type: 'card', data: { number } });
    const answer = await tokens.patch(id, {
      mask: { expiration_month: null, expiration_year: null, bin: '{{ data.number | card_bin }}' },
    });
    const mask = { number: '{{ data.number | reveal_last: 4 }}', bin: '{{ data.number | card_bin }}' };
    expect(tokenOf(answer).mask).toStrictEqual(mask);
    expect(tokenOf(await tokens.get(id, { key: tenant.keys.private })).data).toStrictEqual({
      number: 'XXXXXXXXXXXX4242',
      bin: '42424242',
    });
  });

  it('merges into nothing where the caller wanted no mask', async () => {
    const { id } = await tokens.make({ type: 'card', data: { number }, mask: null });
    const answer = await tokens.patch(
      id,
      { mask: { last4: '{{ data.number | last4 }}' } },
      { key: tenant.keys.private },
    );
    expect(tokenOf(answer)).toMatchObject({ mask: { last4: '{{ data.number | last4 }}' } });
    expect(tokenOf(answer).data).toStrictEqual({ last4: '4242' });
  });

  it('removes the mask of a generic token with null', async () => {
    const { id } = await tokens.make({ data: 'secret', mask: 'masked' });
    const answer = await tokens.patch(id, { mask: null }, { key: tenant.keys.private });
    expect(tokenOf(answer)).not.toHaveProperty('mask');
    expect(tokenOf(answer)).not.toHaveProperty('data');
  });

  it('merges into metadata, and removes all of it with null', async () => {
    const { id } = await tokens.make({ data: 1, metadata: { a: '1', b: '2' } });
    const patched = async (metadata: unknown) => tokenOf(await tokens.patch(id, { metadata })).metadata;
    expect(await patched({ a: null, b: '3', c: '' })).toStrictEqual({ b: '3', c: '' });
    expect(await patched({ missing: null })).toStrictEqual({ b: '3', c: '' });
    expect(await patched({ b: null, c: null })).toStrictEqual({});
    expect(await patched(null)).toBeUndefined();
    expect(await patched({ d: '4' })).toStrictEqual({ d: '4' });
  });

  it('merges names of metadata that mean something elsewhere', async () => {
    const { id } = await tokens.make({ data: 1, metadata: { a: '1' } });
    await tokens.patchRaw(id, '{"metadata":{"__proto__":"x","constructor":"y"}}');
    const patched = await tokens.patchRaw(id, '{"metadata":{"__proto__":"z","constructor":null}}');
    const pairs = Object.entries(tokenOf(patched).metadata ?? {}).map((pair) => pair.join('='));
    expect(pairs.sort()).toStrictEqual(['__proto__=z', 'a=1']);
    expect((await tokens.get(id)).body).toStrictEqual(patched.body);
  });

  it('replaces what is a list or a text, and takes it back to the default with null', async () => {
    const { id } = await tokens.make({ type: 'social_security_number', data: '123-45-6789' });
    const changed = {
      containers: ['/new/'],
      search_indexes: ['{{ data | last4 }}'],
      fingerprint_expression: '{{ data | last4 }}',
    };
    expect((await tokens.patch(id, changed)).body).toMatchObject(changed);
    expect((await tokens.get(id)).body).toMatchObject(changed);
    const cleared = await tokens.patch(id, { containers: null, search_indexes: null, fingerprint_expression: null });
    expect(cleared.body).toMatchObject({
      containers: ['/pii/high/'],
      search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
      fingerprint_expression: "{{ data | remove: '-' }}",
    });
    expect(tokenOf(await tokens.patch(id, { search_indexes: [] }))).not.toHaveProperty('search_indexes');
  });

  it('cannot change what a token is', async () => {
    const created = await tokens.make({ data: 1 });
    const forged = {
      id: 'other',
      tenant_id: crypto.randomUUID(),
      created_by: crypto.randomUUID(),
      version: 99,
    };
    const { modified_at: _, modified_by: __, ...rest } = tokenOf(await tokens.patch(created.id, forged));
    expect(rest).toStrictEqual(created);
  });
});

describe('PATCH /tokens/{id} 400', () => {
  it.each([
    ['card', { number }, { number: '4242424242424241' }, 'data.number'],
    ['card', { number }, { number: null }, 'data.number'],
    ['card', { number }, { expiration_month: 13 }, 'data.expiration_month'],
    ['card', { number }, { cvc: 'x' }, 'data.cvc'],
    ['card', { number }, { cvv: '123' }, 'data.cvc'],
    ['card', { number }, null, 'data'],
    ['card', { number }, number, 'data'],
    [
      'bank',
      { routing_number: '021000021', account_number: '1' },
      { routing_number: '021000022' },
      'data.routing_number',
    ],
    ['bank', { routing_number: '021000021', account_number: '1' }, { account_number: null }, 'data.account_number'],
    ['card_number', number, { number }, 'data'],
    ['social_security_number', '123456789', '12345678', 'data'],
  ])('holds a %s to the rules of its type after the merge', async (type, data, patch, field) => {
    const { id } = await tokens.make({ type, data });
    const answer = await tokens.patch(id, { data: patch });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual([field]);
    expect(tokenOf(await tokens.get(id))).toMatchObject({ data });
    expect(await versionOf(id)).toBe(1);
  });

  it.each([
    ['search_indexes.0', { search_indexes: ['{{ data.missing }}'] }],
    ['search_indexes.0', { data: { name: null } }],
    ['search_indexes.0', { data: { name: ['a', 'b'] } }],
    ['search_indexes', { search_indexes: 'x' }],
    ['fingerprint_expression', { fingerprint_expression: '{{ data | nope }}' }],
    ['fingerprint_expression', { fingerprint_expression: '{{ data.name | to_number }}' }],
    ['mask', { mask: '{{ data' }],
    ['containers', { containers: [] }],
    ['containers.1', { containers: ['/a/', 'b'] }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['metadata', { metadata: 'a' }],
    ['deduplicate_token', { deduplicate_token: 1 }],
    ['body', []],
    ['body', null],
    ['body', 'text'],
  ])('names %s of %j, and changes nothing', async (field, patch) => {
    const created = await tokens.make({ data: { name: 'Ada' }, search_indexes: ['{{ data.name }}'] });
    const answer = await tokens.patch(created.id, patch);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain(field);
    expect((await tokens.get(created.id)).body).toStrictEqual(created);
  });

  it('refuses data that has grown larger than a request could carry', async () => {
    const half = 'x'.repeat(2_100_000);
    const { id } = await tokens.make({ data: { a: half }, fingerprint_expression: '{{ data.c }}' });
    const answer = await tokens.patch(id, { data: { b: half } });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual(['data']);
    expect((await tokens.patch(id, { data: { a: null, b: half } })).status).toBe(200);
  });

  it('refuses what is not JSON, and members that come twice', async () => {
    const { id } = await tokens.make({ data: 1 });
    for (const text of ['', '{', '{"data":1}}', '{"data":1,"data":2}', '{"data":{"a":1,"a":2}}', '{"data":01}']) {
      expect(await tokens.patchRaw(id, text)).toMatchObject({ status: 400 });
    }
    expect(await versionOf(id)).toBe(1);
  });
});

describe('PATCH /tokens/{id} 404 and 415', () => {
  it('404 where there is no such token', async () => {
    for (const id of [crypto.randomUUID(), 'ab', 'x'.repeat(401), 'a\u0000b']) {
      expect(await tokens.patch(id, { data: 1 })).toMatchObject({ status: 404 });
    }
  });

  it.each([
    'application/json',
    'application/json-patch+json',
    'application/merge-patch+json; charset=utf-16',
    'application/merge-patch+json; profile=x',
    'application/merge-patch+jsonx',
    'text/application/merge-patch+json',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
  ])('415 refuses the content type "%s", and changes nothing', async (type) => {
    const { id } = await tokens.make({ data: 1 });
    const headers = { 'content-type': type };
    const answer = await vault.request('PATCH', `/tokens/${id}`, {
      key: tenant.keys.reveal,
      rawBody: '{"data":2}',
      headers,
    });
    expect(answer).toMatchObject({ status: 415, body: { title: 'Unsupported Media Type' } });
    expect(await versionOf(id)).toBe(1);
  });

  it('400 refuses a patch without a body, and 415 one of another type', async () => {
    const { id } = await tokens.make({ data: 1 });
    const options = { key: tenant.keys.reveal };
    expect((await vault.request('PATCH', `/tokens/${id}`, options)).status).toBe(400);
    const headers = { 'content-type': 'application/json' };
    expect((await vault.request('PATCH', `/tokens/${id}`, { ...options, headers })).status).toBe(415);
    expect((await tokens.patchRaw(id, '')).status).toBe(400);
  });
});
