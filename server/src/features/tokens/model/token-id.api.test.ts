import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, recordsOf, uuidV4 } from '../../../../test/harness/test-application.ts';
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

describe('an id of the caller 201', () => {
  it.each([
    'abc',
    'x'.repeat(400),
    '...',
    'search',
    'A B c',
    'für@example.com',
    'a\'b"c`d',
    '名前名',
    '👍👍👍',
    'e\u0301e\u0301',
    "'; drop table tokens; --",
    '$1:$2,(*)!~',
    'null',
    '__proto__',
    '-_.~',
    'a\u00a0b\u200b',
  ])('may be %s, and works in every path', async (id) => {
    const created = await tokens.create({ id, type: 'token', data: 1 });
    expect(created).toMatchObject({ status: 201, body: { id } });
    expect(created.headers.get('location')).toBe(`/tokens/${encodeURIComponent(id)}`);
    expect(await tokens.get(id)).toMatchObject({ status: 200, body: { id, data: 1 } });
    expect(await tokens.patch(id, { data: 2 })).toMatchObject({ status: 200, body: { id, data: 2 } });
    expect(await tokens.delete(id)).toMatchObject({ status: 204 });
    expect((await recordsOf(vault, tenant, id)).map(({ operation }) => operation)).toStrictEqual([
      'create',
      'read',
      'update',
      'delete',
    ]);
  });

  it('keeps its case: two spellings are two tokens', async () => {
    const id = `Case-${crypto.randomUUID()}`;
    await tokens.make({ id, data: 'upper' });
    await tokens.make({ id: id.toLowerCase(), data: 'lower' });
    expect((await tokens.get(id)).body).toMatchObject({ data: 'upper' });
  });

  it('may be used again once its token is deleted', async () => {
    const { id } = await tokens.make({ data: 'first', metadata: { a: 'b' } });
    await tokens.delete(id);
    expect((await tokens.create({ id, type: 'token', data: 'second' })).status).toBe(201);
    const read = tokenOf(await tokens.get(id));
    expect(read).toMatchObject({ data: 'second' });
    expect(read.metadata).toBeUndefined();
  });
});

describe('an id in a path 404', () => {
  it.each([
    '%ff',
    '%',
    '%zz',
    'abc%00',
    '%ED%A0%80%ED%A0%80%ED%A0%80',
    'a%2Fb',
    '%2e%2e%2f',
    'ab',
    '%7B%7B%20data%20%7D%7D',
    'x'.repeat(401),
    '%F0%9F%91%8D'.repeat(400),
    'x'.repeat(4_000),
  ])('names nothing: %s', async (path) => {
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const answer = await vault.request(method, `/tokens/${path}`, {
        key: tenant.keys.reveal,
        headers,
        ...(method === 'PATCH' ? { rawBody: '{}' } : {}),
      });
      expect(answer).toMatchObject({ status: 404, body: { title: 'Not Found' } });
    }
  });
});

describe('an id of the caller 400', () => {
  it.each([...'#/\\+?[]|&=%<>{}^'])('refuses the character %s', async (character) => {
    for (const id of [`ab${character}c`, `${character}abc`, `abc${character}`]) {
      const answer = await tokens.create({ id, type: 'token', data: 1 });
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toStrictEqual(['id']);
    }
  });

  it.each([
    ['nothing', ''],
    ['two characters', 'ab'],
    ['two characters that take four places', '👍👍'],
    ['401 characters', 'x'.repeat(401)],
    ['a NUL', 'abc\u0000'],
    ['a line end', 'abc\n'],
    ['a delete', 'abc\u007f'],
    ['half a character', 'abc\ud83d'],
    ['a number', 1234],
    ['a list', ['abc']],
  ])('refuses %s', async (_name, id) => {
    const answer = await tokens.create({ id, type: 'token', data: 1 });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual(['id']);
  });
});

describe('an id made by an expression', () => {
  it.each([
    ['{{ data.number | alias_card }}', /^\d{16}$/],
    ['{{ data.number | alias_card: true, true }}', /^42424242\d{4}4242$/],
    ["{{ data.number | alias_card: 'false', 'true' }}", /^\d{12}4242$/],
    ['{{ data.dashed | alias_card }}', /^\d{4}-\d{4}-\d{4}-\d{4}$/],
    ['{{ data.number | alias_preserve_format: 6, 4 }}', /^424242\d{6}4242$/],
    ['{{ data.name | alias_preserve_format }}', /^[a-z]{3}\.[a-z]{8}\d$/],
    ['{{ data.name | alias_preserve_length }}', /^[a-z0-9]{13}$/],
    ['order-{{ data.number | alias_card }}', /^order-\d{16}$/],
    ['{{ data.number | last4 | alias_preserve_format }}', /^\d{4}$/],
    ["{{ data.number | hmac: 'sha-256', 'k' | to_base16 }}", /^[0-9A-F]{64}$/],
  ])('201 %s is an alias that never is the value', async (id, form) => {
    const own = await vault.makeTenant();
    const values = { number, dashed: '4242-4242-4242-4242', name: 'ada.lovelace1' };
    const answer = await tokens.create({ id, type: 'token', data: values }, { key: own.keys.reveal });
    expect(answer.status).toBe(201);
    expect(tokenOf(answer).id).toMatch(form);
    for (const value of Object.values(values)) expect(tokenOf(answer).id).not.toContain(value);
    expect((await tokens.get(tokenOf(answer).id, { key: own.keys.reveal })).body).toMatchObject({ data: values });
  });

  it('201 gives other ids to other tokens of one value', async () => {
    const made = await Promise.all(
      Array.from({ length: 50 }, () => tokens.make({ id: '{{ data | alias_card: true, false }}', data: number })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(50);
  });

  it.each([
    ['{{ data }}'],
    ['{{ data | upcase }}'],
    ['{{ data | last4 }}'],
    ['{{ data | reveal_last: 4 }}'],
    ["{{ data | split: '' }}"],
    ['{{ data | stringify }}'],
    ['{{ data | alias_preserve_length: 10, 6 }}'],
    ["{{ data | append: 'x' | alias_preserve_length: 12, 0 }}"],
    ['{{ data | alias_preserve_format: 8, 0 }}{{ data | alias_preserve_format: 0, 8 }}'],
    ['{{ data | alias_card: true, true | last4 }}'],
    ['{{ data | nope }}'],
    ['{{ data'],
    ['{{ metadata.id }}'],
    ['{{ data | hmac }}'],
    ['x/{{ data | alias_card }}'],
    ['{{ data.missing | alias_card }}'],
    [`{{ data | alias_card }}${'x'.repeat(390)}`],
  ])('400 refuses %s', async (id) => {
    const answer = await tokens.create({ id, type: 'token', data: number, metadata: { id: 'abc' } });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual(['id']);
    expect(answer.text).not.toContain(number);
  });

  it('400 refuses an alias that would hold a character that no id has', async () => {
    const answer = await tokens.create({ id: '{{ data | alias_preserve_format }}', type: 'token', data: 'a/b/c' });
    expect(fieldsOf(answer)).toStrictEqual(['id']);
  });

  it('201 takes another alias where the first one is taken', async () => {
    const own = new TokenEndpoints(vault, (await vault.makeTenant()).keys.reveal);
    // One digit is free, and the alias never equals the value. Nine ids are possible, and eight of them are taken.
    for (const digit of '12345678') await own.make({ id: `990${digit}`, data: 1 });
    const made = await Promise.all(
      Array.from({ length: 30 }, () => own.make({ id: '{{ data | alias_preserve_format: 3, 0 }}', data: '9909' })),
    );
    expect(made.every(({ id }) => id === '9900' || uuidV4.test(id))).toBe(true);
    expect(new Set(made.map(({ id }) => id)).size).toBe(30);
  });

  it.each([{}, { deduplicate_token: true }])('201 ends with a UUID where every alias is taken, %j', async (wish) => {
    const own = await vault.makeTenant();
    const theirs = new TokenEndpoints(vault, own.keys.reveal);
    for (const digit of '0123456789') await theirs.make({ id: `123${digit}`, data: 1 });
    const answer = await theirs.create({
      id: '{{ data | alias_preserve_format: 3, 0 }}',
      type: 'token',
      data: '1234',
      ...wish,
    });
    expect(answer.status).toBe(201);
    expect(tokenOf(answer).id).toMatch(uuidV4);
    expect(await theirs.get(tokenOf(answer).id)).toMatchObject({ status: 200, body: { data: '1234' } });
    expect(await recordsOf(vault, own, tokenOf(answer).id)).toMatchObject([
      { operation: 'create' },
      { operation: 'read' },
    ]);
  });

  it('409 for an expression that can make only one id, as for an id that is written out', async () => {
    const id = `${crypto.randomUUID()}-{{ data | hmac: 'sha-256', 'k' | to_base16 }}`;
    const first = await tokens.make({ id, data: 'same' });
    expect((await tokens.create({ id, type: 'token', data: 'same' })).status).toBe(409);
    expect((await tokens.create({ id, type: 'token', data: 'other' })).status).toBe(201);
    const records = await recordsOf(vault, tenant, first.id);
    expect(records.map(({ outcome }) => outcome)).toEqual(['success', 'failed']);
  });

  it('200 of a larger request gives way to each other, and to what exists', async () => {
    const own = await vault.makeTenant();
    const theirs = new TokenEndpoints(vault, own.keys.reveal);
    for (const digit of '012345') await theirs.make({ id: `123${digit}`, data: 1 });
    const leaf = { id: '{{ data | alias_preserve_format: 3, 0 }}', type: 'token', data: '1236' };
    for (const deduplicate_token of [false, true]) {
      const leaves = Array.from({ length: 20 }, (_, index) => ({
        ...leaf,
        deduplicate_token,
        metadata: { n: `${deduplicate_token} ${index}` },
        fingerprint_expression: '{{ metadata.n }} {{ data }}',
      }));
      const answer = await vault.request('POST', '/tokenize', { key: own.keys.reveal, body: leaves });
      expect(answer.status).toBe(200);
      const ids = (answer.body as { id: string }[]).map(({ id }) => id);
      expect(new Set(ids).size).toBe(20);
      expect(ids.every((id) => /^123[789]$/.test(id) || uuidV4.test(id))).toBe(true);
    }
  });
});
