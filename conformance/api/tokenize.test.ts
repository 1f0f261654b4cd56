import { describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import { makeApplication } from '../harness/make-application.ts';
import { isoTimestamp, maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const revealed = new ApiCaller(vault, vault.keys.reveal);

describe('Endpoints: POST /tokenize', () => {
  it('needs token:create on every container that the request names', async () => {
    const rule = {
      description: 'Cards',
      priority: 1,
      container: '/pci/',
      transform: 'mask',
      permissions: ['token:create'],
    };
    const { caller } = await makeApplication(vault, { rules: [rule] });
    const card = { type: 'card', data: testCard };
    expect((await caller.post('/tokenize', { card })).status).toBe(200);
    expect((await caller.post('/tokenize', { card, name: 'Ada' })).status).toBe(403);
    const moved = { type: 'token', data: 'x', containers: ['/pci/low/'] };
    expect((await caller.post('/tokenize', [card, moved])).status).toBe(200);
  });

  it.each([[{ a: 'x' }], [['x', ['y']]]])('takes an object or an array: %j', async (body) => {
    expect((await masked.post('/tokenize', body)).status).toBe(200);
  });

  it('rule 1: a plain string becomes a generic token and its id stands in its place', async () => {
    const { body } = await masked.post('/tokenize', { name: 'Ada Lovelace' });
    const { name } = body as { name: string };
    expect(name).toMatch(uuidV4);
    expect(await revealed.read(name)).toMatchObject({ type: 'token', data: 'Ada Lovelace' });
  });

  it('rule 2: an object with type and data is a request for a token, with what such a request may carry', async () => {
    const request = {
      type: 'token',
      data: { number: 'n', note: 'o' },
      metadata: { order: '17' },
      search_indexes: ['{{ data.number }}'],
      fingerprint_expression: '{{ data.number }}',
    };
    const { body } = await masked.post('/tokenize', { nested: [request] });
    const { id } = (body as { nested: [{ id: string }] }).nested[0];
    expect(await revealed.read(id)).toMatchObject(request);
  });

  it('rule 3: the answer has the keys, the order and the nesting of the request', async () => {
    const { body } = await masked.post('/tokenize', { z: ['a', { y: 'b', x: [['c']] }], a: 'd' });
    const id = expect.stringMatching(uuidV4) as unknown;
    expect(body).toEqual({ z: [id, { y: id, x: [[id]] }], a: id });
    expect(Object.keys(body as object)).toEqual(['z', 'a']);
  });

  it('rule 4: a token in the answer has its id, tenant, type, masked data, fingerprint expression, creator and time', async () => {
    const { body, text } = await masked.post('/tokenize', { card: { type: 'card', data: testCard } });
    const { id: applicationId } = (await masked.get('/applications/key')).body as { id: string };
    expect((body as { card: unknown }).card).toMatchObject({
      id: expect.stringMatching(uuidV4),
      tenant_id: vault.tenantId,
      type: 'card',
      data: maskedCard,
      mask: maskedCard,
      fingerprint_expression: '{{ data.number }}',
      created_by: applicationId,
      created_at: expect.stringMatching(isoTimestamp),
    });
    expect(text).not.toContain(testCard.number);
  });
});
