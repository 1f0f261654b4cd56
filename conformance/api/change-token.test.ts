import { describe, expect, inject, it } from 'vitest';
import { ApiCaller, fieldsOf } from '../harness/api-caller.ts';
import { makeApplication } from '../harness/make-application.ts';
import { maskedCard, testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const revealed = new ApiCaller(vault, vault.keys.reveal);

async function patched(token: Readonly<Record<string, unknown>>, patch: object) {
  const { id } = await revealed.store(token);
  const answer = await revealed.patch(`/tokens/${id}`, patch);
  expect(answer.status).toBe(200);
  return answer.body as Readonly<Record<string, unknown>>;
}

describe('Endpoints: GET /tokens/{id}', () => {
  it('answers with the token that has this id', async () => {
    const { id } = await masked.store({ metadata: { a: 'b' } });
    expect(await masked.read(id)).toMatchObject({ id, metadata: { a: 'b' } });
  });

  it('data: shown as the transform of the caller says', async () => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    expect((await masked.read(id)).data).toEqual(maskedCard);
    expect((await revealed.read(id)).data).toEqual(testCard);
  });

  it('is an error when there is nothing to give', async () => {
    expect((await masked.get(`/tokens/${crypto.randomUUID()}`)).status).toBe(404);
    const { caller } = await makeApplication(vault, {
      rules: [{ description: 'x', priority: 1, container: '/x/', transform: 'mask', permissions: ['token:read'] }],
    });
    expect((await caller.get(`/tokens/${(await masked.store({})).id}`)).status).toBe(403);
  });

  it('the id in the path is text, not only a UUID', async () => {
    const id = `a b.c~${crypto.randomUUID()}`;
    await masked.store({ id });
    expect((await masked.read(id)).id).toBe(id);
  });
});

describe('Endpoints: PATCH /tokens/{id}', () => {
  it.each(['application/json', 'application/json-patch+json', 'text/plain', 'application/merge-patch'])(
    'Content-Type %s yields 415',
    async (type) => {
      const { id } = await masked.store({});
      const question = { rawBody: '{}', headers: { 'content-type': type } };
      expect((await masked.ask('PATCH', `/tokens/${id}`, question)).status).toBe(415);
    },
  );

  it('data: merged, and null removes', async () => {
    const { data } = await patched({ data: { a: 1, b: { c: 2, d: 3 } } }, { data: { a: null, b: { c: 4 } } });
    expect(data).toEqual({ b: { c: 4, d: 3 } });
  });

  it('data: what is no object is replaced', async () => {
    expect((await patched({ data: 'before' }, { data: 'after' }))['data']).toBe('after');
    expect((await patched({ data: { list: [1, 2] } }, { data: { list: [3] } }))['data']).toEqual({ list: [3] });
  });

  it('mask: merged', async () => {
    const token = { data: { a: '12345678', b: 'x' }, mask: { a: '{{ data.a | last4 }}', b: '{{ data.b }}' } };
    expect((await patched(token, { mask: { b: null } }))['mask']).toEqual({ a: '{{ data.a | last4 }}' });
  });

  it('metadata: merged', async () => {
    const { metadata } = await patched({ metadata: { a: '1', b: '2' } }, { metadata: { a: null, c: '3' } });
    expect(metadata).toEqual({ b: '2', c: '3' });
  });

  it.each([
    ['containers', ['/a/', '/b/'], ['/c/']],
    ['search_indexes', ['{{ data }}', '{{ data | last4 }}'], ['{{ data }}']],
    ['fingerprint_expression', '{{ data }}', '{{ data | last4 }}'],
    ['expires_at', '2050-01-01T00:00:00+00:00', '2051-01-01T00:00:00+01:00'],
  ])('%s: replaced', async (field, before, after) => {
    expect((await patched({ [field]: before }, { [field]: after }))[field]).toEqual(after);
  });

  it('deduplicate_token: a change into a duplicate that the caller cannot read shows nothing of it', async () => {
    const data = crypto.randomUUID();
    const hidden = ['data', 'metadata', 'fingerprint_expression', 'search_indexes', 'mask'];
    await revealed.store({ data, containers: ['/theirs/'] });
    const { id } = await revealed.store({ containers: ['/ours/'], metadata: { a: 'b' } });
    const permissions = ['token:read', 'token:update'];
    const rule = { description: 'Ours', priority: 1, container: '/ours/', transform: 'reveal', permissions };
    const { caller } = await makeApplication(vault, { rules: [rule] });
    const answer = await caller.patch(`/tokens/${id}`, { data, deduplicate_token: true });
    expect(answer).toMatchObject({ status: 200, body: { id } });
    expect(Object.keys(answer.body as object).filter((field) => hidden.includes(field))).toEqual([]);
    const open = await caller.patch(`/tokens/${id}`, { data, deduplicate_token: false });
    expect(open.body).toMatchObject({ id, data, metadata: { a: 'b' } });
  });

  it('every field may be left out', async () => {
    const token = await revealed.store({ metadata: { a: 'b' } });
    const answer = await revealed.patch(`/tokens/${token.id}`, {});
    expect(answer).toMatchObject({ status: 200, body: { id: token.id, metadata: { a: 'b' } } });
  });

  it('a failed validation is an error, and the token stays as it was', async () => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    const answer = await masked.patch(`/tokens/${id}`, { data: { number: '4242' }, metadata: { a: 'b' } });
    expect({ status: answer.status, fields: fieldsOf(answer) }).toEqual({ status: 400, fields: ['data.number'] });
    const token = await revealed.read(id);
    expect(token.data).toEqual(testCard);
    expect(token).not.toHaveProperty('metadata');
  });
});

describe('Endpoints: DELETE /tokens/{id}', () => {
  it('deletes the token and answers nothing', async () => {
    const { id } = await masked.store({});
    expect(await masked.delete(`/tokens/${id}`)).toMatchObject({ status: 204, text: '' });
    expect((await masked.get(`/tokens/${id}`)).status).toBe(404);
  });

  it('is an error when there is none', async () => {
    expect((await masked.delete(`/tokens/${crypto.randomUUID()}`)).status).toBe(404);
  });
});
