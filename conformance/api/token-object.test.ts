import { beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller, type PageResponse } from '../harness/api-caller.ts';
import { makeApplication } from '../harness/make-application.ts';
import { isoTimestamp, maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const revealed = new ApiCaller(vault, vault.keys.reveal);
let applicationId: string;
beforeAll(async () => {
  ({ id: applicationId } = (await masked.get('/applications/key')).body as { id: string });
});

describe('What the service does', () => {
  it('hands back an id and a masked view in the place of the value', async () => {
    const answer = await masked.post('/tokens', { type: 'card', data: testCard });
    expect(answer.body).toMatchObject({ id: expect.stringMatching(uuidV4), data: maskedCard });
    expect(answer.text).not.toContain(testCard.number);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'keeps logs that can only be read: %s is no part of it',
    async (method) => {
      const manager = new ApiCaller(vault, vault.keys.management);
      expect((await manager.ask(method, '/logs', { body: {} })).status).toBe(405);
    },
  );
});

describe('Resources: token object', () => {
  it('id: a UUID is assigned unless the caller supplies one', async () => {
    expect((await masked.store({})).id).toMatch(uuidV4);
    const id = `own-${crypto.randomUUID()}`;
    expect((await masked.store({ id })).id).toBe(id);
  });

  it('tenant_id: the tenant that owns the token', async () => {
    expect((await masked.store({})).tenant_id).toBe(vault.tenantId);
  });

  it('type: the type of the token', async () => {
    expect((await masked.store({ type: 'card_number', data: '4242424242424242' })).type).toBe('card_number');
  });

  it.each([[{ a: { b: [1] } }], [[1, 'two', null]], ['text'], [42], [1.5], [true], [null]])(
    'data: an object, an array or any primitive: %j',
    async (data) => {
      const { id } = await revealed.store({ data });
      expect((await revealed.read(id)).data).toEqual(data);
    },
  );

  it.each([
    ['reveal', { data: testCard }],
    ['mask', { data: maskedCard }],
    ['redact', {}],
  ] as const)('data: shown as the transform of the caller says: %s', async (transform, shown) => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    const rule = { description: 'All', priority: 1, container: '/', transform, permissions: ['token:read'] };
    const { caller } = await makeApplication(vault, { rules: [rule] });
    const token = await caller.read(id);
    expect(token.data === undefined ? {} : { data: token.data }).toEqual(shown);
  });

  it('mask: one expression for the whole of the data, applied when it is read with restricted permissions', async () => {
    const { id } = await masked.store({ data: '123-45-6789', mask: '{{ data | reveal_last: 4 }}' });
    expect((await masked.read(id)).data).toBe('XXX-XX-6789');
    expect((await revealed.read(id)).data).toBe('123-45-6789');
  });

  it('mask: an object of expressions', async () => {
    const mask = { name: '{{ data.name | reveal_last: 2 }}', city: '{{ data.city }}' };
    const { id } = await masked.store({ data: { name: 'Lovelace', city: 'London', age: 36 }, mask });
    expect((await masked.read(id)).data).toEqual({ name: 'XXXXXXce', city: 'London' });
  });

  it('mask: for a card the answer shows the masked number, the month and the year', async () => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    expect((await masked.read(id)).mask).toEqual(maskedCard);
  });

  it('fingerprint: the same for the same contents, another for others', async () => {
    const data = crypto.randomUUID();
    const [one, two, other] = [await masked.store({ data }), await masked.store({ data }), await masked.store({})];
    expect(two.fingerprint).toBe(one.fingerprint);
    expect(other.fingerprint).not.toBe(one.fingerprint);
  });

  it('fingerprint_expression: says which value is fingerprinted', async () => {
    const fingerprint_expression = '{{ data.number }}';
    const number = crypto.randomUUID();
    const one = await masked.store({ data: { number, note: 'a' }, fingerprint_expression });
    const two = await masked.store({ data: { number, note: 'b' }, fingerprint_expression });
    expect(one).toMatchObject({ fingerprint_expression, fingerprint: two.fingerprint });
  });

  it('containers: paths with a slash on either side', async () => {
    expect((await masked.store({ containers: ['/customers/eu/', '/vip/'] })).containers).toEqual([
      '/customers/eu/',
      '/vip/',
    ]);
    expect((await masked.post('/tokens', { type: 'token', data: 'x', containers: ['customers'] })).status).toBe(400);
  });

  it('metadata: keys and values of text', async () => {
    expect((await masked.store({ metadata: { order: '17' } })).metadata).toEqual({ order: '17' });
    expect((await masked.post('/tokens', { type: 'token', data: 'x', metadata: { order: 17 } })).status).toBe(400);
  });

  it('search_indexes: expressions whose values can be searched for', async () => {
    const secret = crypto.randomUUID();
    const { id } = await masked.store({
      data: { secret },
      search_indexes: ['{{ data.secret }}', '{{ data.secret | last4 }}'],
    });
    const found = await masked.post('/tokens/search', { query: `data:${secret}` });
    expect((found.body as PageResponse).data.map((token) => token.id)).toEqual([id]);
  });

  it('created_by and created_at: the application and the time, in ISO 8601', async () => {
    const token = await masked.store({});
    expect(token).toMatchObject({ created_by: applicationId, created_at: expect.stringMatching(isoTimestamp) });
  });

  it('modified_by and modified_at: absent until the first change, then the application and the time', async () => {
    const token = await masked.store({});
    expect(token).not.toHaveProperty('modified_by');
    expect(token).not.toHaveProperty('modified_at');
    await masked.patch(`/tokens/${token.id}`, { metadata: { a: 'b' } });
    expect(await masked.read(token.id)).toMatchObject({
      modified_by: applicationId,
      modified_at: expect.stringMatching(isoTimestamp),
    });
  });

  it('expires_at: only where the token expires', async () => {
    expect(await masked.store({})).not.toHaveProperty('expires_at');
    expect((await masked.store({ expires_at: '2050-01-01T00:00:00Z' })).expires_at).toMatch(isoTimestamp);
  });
});

describe('Resources: expression notation', () => {
  const data = { number: '36227206271667', nested: { part: 'value' } };
  it.each([
    ['{{ data.number }}', '36227206271667', 'a field'],
    ['{{ data.nested.part }}', 'value', 'a field of a field'],
    ['{{ data.number | last4 }}', '1667', 'the last four characters'],
    ['{{ data.number | reveal_last: 6 }}', 'XXXXXXXX271667', 'all but the last as X'],
    ['{{ data.nested | stringify }}', '{"part":"value"}', 'the data as text'],
    ['{{ data.nested | stringify | last4 }}', 'ue"}', 'filters in a chain'],
  ])('%s is %j: %s', async (mask, shown) => {
    const { id } = await masked.store({ data, mask });
    expect((await masked.read(id)).data).toBe(shown);
  });

  it('{{ data }} is the whole of the data', async () => {
    const { id } = await masked.store({ data, mask: '{{ data }}' });
    expect((await masked.read(id)).data).toEqual(data);
  });

  it('the fingerprint of a generic token is that of its data as text, that of a card its number', async () => {
    expect(await masked.store({})).toMatchObject({ fingerprint_expression: '{{ data | stringify }}' });
    const [may, june] = await Promise.all(
      [5, 6].map((expiration_month) => masked.store({ type: 'card', data: { ...testCard, expiration_month } })),
    );
    expect(may).toMatchObject({ fingerprint_expression: '{{ data.number }}', fingerprint: june?.fingerprint });
  });
});
