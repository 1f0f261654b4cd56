import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type ApiCaller, fieldsOf, type PageResponse } from '../harness/api-caller.ts';
import { makeTenant } from '../harness/make-tenant.ts';
import { makeApplication } from '../harness/make-application.ts';
import { testCard } from '../harness/value-forms.ts';

const general = inject('vault');
/** The number of tokens in this tenant, which is more than a page. */
const amount = 25;
let own: ApiCaller;
let ids: string[];
let vault: typeof general;
beforeAll(async () => {
  const tenant = await makeTenant(general);
  vault = { ...general, keys: { ...general.keys, management: tenant.managementKey } };
  ({ caller: own } = await makeApplication(vault, {
    permissions: ['token:create', 'token:read', 'token:search', 'token:delete'],
  }));
  ids = [];
  for (let index = 0; index < amount; index += 1) {
    const token =
      index === 0
        ? { type: 'card', data: testCard }
        : index === 1
          ? { type: 'bank', data: { routing_number: '021000021', account_number: '12345' } }
          : { metadata: { Color: index % 2 === 0 ? 'Red' : 'blue', half: index < 10 ? 'first' : 'second' } };
    ids.unshift((await own.store(token)).id);
  }
});
async function list(query = ''): Promise<PageResponse> {
  const answer = await own.get(`/tokens${query}`);
  expect(answer.status).toBe(200);
  return answer.body as PageResponse;
}
const idsOf = ({ data }: PageResponse) => data.map(({ id }) => id);

describe('Endpoints: GET /tokens', () => {
  it('id: one or more', async () => {
    expect(idsOf(await list(`?id=${ids[0]}`))).toEqual([ids[0]]);
    expect(idsOf(await list(`?id=${ids[0]}&id=${ids[4]}`))).toEqual([ids[0], ids[4]]);
  });

  it('type: one or more', async () => {
    expect(idsOf(await list('?type=card'))).toEqual(ids.slice(-1));
    expect(idsOf(await list('?type=card&type=bank'))).toEqual(ids.slice(-2));
  });

  it('metadata: matches the whole value, in any case', async () => {
    expect((await list('?metadata.Color=RED')).pagination.total_items).toBe(12);
    expect((await list('?metadata.Color=Re')).pagination.total_items).toBe(0);
  });

  it('metadata: several must all match', async () => {
    expect((await list('?metadata.Color=red&metadata.half=first')).pagination.total_items).toBe(4);
  });

  it('metadata: of a repeated key the first counts', async () => {
    expect((await list('?metadata.Color=red&metadata.Color=blue')).pagination.total_items).toBe(12);
  });

  it('page and size: the first page of 20 where they are left out', async () => {
    const { pagination, data } = await list();
    expect(pagination).toEqual({ total_items: amount, page_number: 1, page_size: 20, total_pages: 2 });
    expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });

  it('page: the one that is asked for, and an empty one past the end', async () => {
    expect(idsOf(await list('?page=2'))).toEqual(ids.slice(20));
    expect((await list('?page=3')).data).toEqual([]);
  });

  it('size: at most 100', async () => {
    expect((await list('?size=100')).data).toHaveLength(amount);
    expect(fieldsOf(await own.get('/tokens?size=101'))).toEqual(['size']);
  });

  it('data: shown as the transform of the caller says', async () => {
    expect((await list('?type=card')).data[0]?.data).toMatchObject({ number: 'XXXXXXXXXXXX4242' });
    const rule = {
      description: 'Cards',
      priority: 1,
      container: '/pci/',
      transform: 'reveal',
      permissions: ['token:read'],
    };
    const { caller } = await makeApplication(vault, { rules: [rule] });
    const seen = (await caller.get('/tokens')).body as PageResponse;
    expect(seen.data.map(({ data }) => data)).toEqual([testCard]);
  });

  it('filters can be combined', async () => {
    expect(idsOf(await list(`?type=token&id=${ids[0]}&id=${ids.at(-1)}`))).toEqual([ids[0]]);
  });
});

describe('Resources: pagination', () => {
  it('a list is an object with pagination and data', async () => {
    expect(Object.keys(await list()).toSorted()).toEqual(['data', 'pagination']);
  });

  it('total_items: how many there are in the tenant', async () => {
    const { id } = await own.store({});
    expect((await list()).pagination.total_items).toBe(amount + 1);
    await own.delete(`/tokens/${id}`);
    expect((await list()).pagination.total_items).toBe(amount);
  });

  it('page_number and page_size: those of the query', async () => {
    expect((await list('?page=3&size=4')).pagination).toMatchObject({ page_number: 3, page_size: 4 });
  });

  it.each([
    [1, 25],
    [10, 3],
    [25, 1],
    [26, 1],
  ])('total_pages: with %i on a page there are %i', async (size, pages) => {
    expect((await list(`?size=${size}`)).pagination.total_pages).toBe(pages);
  });
});
