import { describe, expect, inject, it } from 'vitest';
import { ApiCaller, fieldsOf, type PageResponse } from '../harness/api-caller.ts';
import { isoTimestamp, testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const manager = new ApiCaller(vault, vault.keys.management);

interface LogAnswer {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly operation: string;
  readonly message: string;
  readonly created_at: string;
}
async function logs(query: string): Promise<PageResponse<LogAnswer>> {
  const answer = await manager.get(`/logs${query}`);
  expect(answer.status).toBe(200);
  return answer.body as PageResponse<LogAnswer>;
}
async function liveOneLife(): Promise<string> {
  const { id } = await masked.store({});
  await masked.read(id);
  await masked.patch(`/tokens/${id}`, { metadata: { a: 'b' } });
  await masked.delete(`/tokens/${id}`);
  return id;
}

describe('Resources: log object', () => {
  it('says whose, by whom, about what, which operation, in words, and when', async () => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    const { id: applicationId } = (await masked.get('/applications/key')).body as { id: string };
    const { data } = await logs(`?entity_id=${id}`);
    expect(data).toEqual([
      expect.objectContaining({
        tenant_id: vault.tenantId,
        actor_id: applicationId,
        actor_type: 'application',
        entity_type: 'card',
        entity_id: id,
        operation: 'create',
        message: expect.any(String),
        created_at: expect.stringMatching(isoTimestamp),
      }),
    ]);
  });

  it('operation: create, read, update and delete', async () => {
    const { data } = await logs(`?entity_id=${await liveOneLife()}`);
    expect(data.map(({ operation }) => operation)).toEqual(['delete', 'update', 'read', 'create']);
  });
});

describe('Endpoints: GET /logs', () => {
  it('entity_type: only of this type', async () => {
    await masked.store({ type: 'card', data: testCard });
    const { data } = await logs('?entity_type=card');
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ entity_type }) => entity_type))).toEqual(new Set(['card']));
  });

  it('entity_id: only about this one', async () => {
    const id = await liveOneLife();
    const { data } = await logs(`?entity_id=${id}`);
    expect(new Set(data.map(({ entity_id }) => entity_id))).toEqual(new Set([id]));
  });

  it('start_date: from then on, and then itself; end_date: before then', async () => {
    const { id } = await masked.store({});
    const [{ created_at: at } = { created_at: '' }] = (await logs(`?entity_id=${id}`)).data;
    const later = new Date(new Date(at).getTime() + 1).toISOString();
    const count = async (span: string) => (await logs(`?entity_id=${id}&${span}`)).pagination.total_items;
    expect(await count(`start_date=${at}`)).toBe(1);
    expect(await count(`start_date=${later}`)).toBe(0);
    expect(await count(`end_date=${at}`)).toBe(0);
    expect(await count(`end_date=${later}`)).toBe(1);
  });

  it('page and size: the first page of 20 where they are left out, at most 100', async () => {
    expect((await logs('')).pagination).toMatchObject({ page_number: 1, page_size: 20 });
    const id = await liveOneLife();
    expect((await logs(`?entity_id=${id}&page=2&size=3`)).data.map(({ operation }) => operation)).toEqual(['create']);
    expect((await logs('?size=100')).pagination.page_size).toBe(100);
    expect(fieldsOf(await manager.get('/logs?size=101'))).toEqual(['size']);
  });
});

describe('Endpoints: GET /logs/entity-types', () => {
  it('answers with a plain array of names for people and for machines', async () => {
    const { body } = await manager.get('/logs/entity-types');
    const types = body as { display_name: string; value: string }[];
    expect(Array.isArray(types)).toBe(true);
    expect(types.map(({ value }) => value)).toEqual(expect.arrayContaining(['application', 'bank', 'card', 'proxy']));
    expect(types.every(({ display_name }) => display_name !== '')).toBe(true);
  });

  it('value: what entity_type of a log says', async () => {
    const types = (await manager.get('/logs/entity-types')).body as { value: string }[];
    const known = new Set(types.map(({ value }) => value));
    const { data } = await logs('?size=100');
    expect(data.filter(({ entity_type }) => !known.has(entity_type))).toEqual([]);
  });
});
