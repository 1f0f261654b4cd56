import { describe, expect, inject, it } from 'vitest';
import { ApiCaller, fieldsOf } from '../harness/api-caller.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const revealed = new ApiCaller(vault, vault.keys.reveal);
const create = (body: object) => masked.post('/tokens', body);

describe('Endpoints: POST /tokens', () => {
  it('answers with the token that it created', async () => {
    const answer = await create({ type: 'token', data: 'x' });
    expect(answer.status).toBe(201);
    expect(await masked.read((answer.body as { id: string }).id)).toEqual(answer.body);
  });

  it('id: a value', async () => {
    const id = `customer-${crypto.randomUUID()}`;
    expect((await masked.store({ id })).id).toBe(id);
  });

  it('id: an expression', async () => {
    const { id } = await masked.store({
      id: '{{ data.number | alias_card: "true", "true" }}',
      type: 'card',
      data: testCard,
    });
    expect(id).toMatch(/^42424242\d{4}4242$/);
  });

  it.each(['type', 'data'])('%s is required', async (field) => {
    const answer = await create({ type: 'token', data: 'x', [field]: undefined });
    expect({ status: answer.status, fields: fieldsOf(answer) }).toEqual({ status: 400, fields: [field] });
  });

  it('type: one that is not known is refused', async () => {
    expect((await create({ type: 'unheard_of', data: 'x' })).status).toBe(400);
  });

  it.each([
    ['token', 'x', undefined, ['/general/high/']],
    ['card', testCard, { number: 'XXXXXXXXXXXX4242' }, ['/pci/high/']],
    ['bank', { routing_number: '021000021', account_number: '12345' }, { account_number: 'X2345' }, ['/bank/high/']],
  ])('mask and containers depend on the type where they are left out: %s', async (type, data, shown, containers) => {
    const token = await masked.store({ type, data });
    expect(token.containers).toEqual(containers);
    if (shown === undefined) expect(token).not.toHaveProperty('data');
    else expect(token.data).toMatchObject(shown);
  });

  it.each(['metadata', 'search_indexes', 'expires_at'])('%s: none where it is left out', async (field) => {
    expect(await masked.store({})).not.toHaveProperty(field);
  });

  it('fingerprint_expression: the data as text where it is left out', async () => {
    expect(await masked.store({})).toMatchObject({ fingerprint_expression: '{{ data | stringify }}' });
  });

  it('deduplicate_token: true gives back the token with the same contents, false makes another', async () => {
    const data = crypto.randomUUID();
    const { id } = await masked.store({ data, deduplicate_token: true });
    expect((await masked.store({ data, deduplicate_token: true })).id).toBe(id);
    expect((await masked.store({ data, deduplicate_token: false })).id).not.toBe(id);
    expect((await masked.store({ data })).id).not.toBe(id);
  });

  it.each([
    ['2050-08-26T19:23:57-07:00', '2050-08-26T19:23:57-07:00', 'a date-time with offset'],
    ['2050-08-26T19:23:57', '2050-08-26T19:23:57Z', 'a date-time without offset is UTC'],
    ['8/26/2050', '2050-08-26T00:00:00Z', 'a short date is midnight UTC'],
    ['2050-08-26', '2050-08-26T00:00:00Z', 'a short date is midnight UTC'],
  ])('expires_at: %s is %s: %s', async (expires_at, meant) => {
    const { expires_at: shown = '' } = await masked.store({ expires_at });
    expect(new Date(shown).getTime()).toBe(new Date(meant).getTime());
    expect(shown).toMatch(/T.*([+-]\d{2}:\d{2}|Z)$/);
  });

  it('expires_at: the answer keeps the offset', async () => {
    const expires_at = '2050-08-26T19:23:57-07:00';
    expect((await masked.store({ expires_at })).expires_at).toBe(expires_at);
  });

  it.each(['tomorrow', '26/8/2050', ''])('expires_at: %j is refused', async (expires_at) => {
    expect(fieldsOf(await create({ type: 'token', data: 'x', expires_at }))).toEqual(['expires_at']);
  });

  it('a failed validation is an error, and nothing is stored', async () => {
    const id = `never-${crypto.randomUUID()}`;
    const answer = await create({ id, type: 'card', data: { number: '1' } });
    expect(answer).toMatchObject({ status: 400, body: { status: 400, errors: expect.any(Object) } });
    expect((await revealed.get(`/tokens/${id}`)).status).toBe(404);
  });
});
