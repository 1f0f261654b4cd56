import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

let vault: TestVault;
let tenant: TestTenant;
/** The ids of the tenant's 45 tokens in list order: three groups, newest first, each created at one instant. */
let listed: string[];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const groups: string[][] = [];
  for (const size of [5, 25, 15]) {
    const values = Array.from({ length: size }, (_, index) => ({
      type: 'token',
      data: index,
      metadata: { group: String(size) },
    }));
    const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body: values });
    groups.unshift(
      (answer.body as { id: string }[])
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  }
  listed = groups.flat();
});
afterAll(() => vault.stop());

const list = (query = '', key = tenant.keys.private) => vault.request('GET', `/tokens${query}`, { key });
const page = async (query = '', key = tenant.keys.private) => pageOf(await list(query, key));

describe('the order of GET /tokens', () => {
  it('200 is newest first, and by id within an instant', async () => {
    const all = await page('?size=100');
    expect(idsOf(all)).toEqual(listed);
    expect(new Set(all.data.map((token) => token.created_at)).size).toBe(3);
    const instants = all.data.map((token) => token.created_at);
    expect(instants).toEqual(instants.toSorted().toReversed());
  });

  it('200 is the same under a filter that looks at every token', async () => {
    expect(idsOf(await page('?size=100&metadata.group=25'))).toEqual(listed.slice(15, 40));
    const ids = listed
      .slice(3, 20)
      .toSorted()
      .map((id) => `id=${id}`);
    expect(idsOf(await page(`?size=100&${ids.join('&')}`))).toEqual(listed.slice(3, 20));
  });
});

describe('the pages of GET /tokens', () => {
  it('200 have 20 tokens unless asked otherwise', async () => {
    const first = await page();
    expect(first.pagination).toEqual({ total_items: 45, page_number: 1, page_size: 20, total_pages: 3 });
    expect(idsOf(first)).toEqual(listed.slice(0, 20));
  });

  it.each([1, 7, 20, 44, 45, 46, 100])('200 cover every token once with %i on a page', async (size) => {
    const pages = Array.from({ length: Math.ceil(45 / size) }, (_, index) => page(`?page=${index + 1}&size=${size}`));
    const answers = await Promise.all(pages);
    expect(answers.flatMap(idsOf)).toEqual(listed);
    answers.forEach(({ pagination }, index) => {
      expect(pagination).toEqual({
        total_items: 45,
        page_number: index + 1,
        page_size: size,
        total_pages: Math.ceil(45 / size),
      });
    });
  });

  it.each([
    '?page=4',
    '?page=999999999&size=100',
    '?page=3&size=45',
    '?page=9&metadata.group=25',
    '?page=2&type=token&size=100',
  ])('200 past the end are empty and still tell the total: %s', async (query) => {
    const answer = await page(query);
    expect(answer.data).toEqual([]);
    expect(answer.pagination.total_items).toBe(query.includes('group=25') ? 25 : 45);
  });

  it('200 of a tenant without tokens', async () => {
    const empty = await vault.makeTenant();
    const answer = await page('', empty.keys.private);
    expect(answer).toEqual({ pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0 }, data: [] });
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e1', '%201', '١', '1000000000'])(
    '400 names page when it is %j',
    async (value) => {
      const answer = await list(`?page=${value}`);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(['page']);
    },
  );

  it.each(['0', '101', '-5', '2.0', 'ten', '', '0x10'])('400 names size when it is %j', async (value) => {
    for (const path of ['/tokens', '/v2/tokens']) {
      const answer = await vault.request('GET', `${path}?size=${value}`, { key: tenant.keys.private });
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(['size']);
    }
  });

  it('400 names a parameter that is given twice', async () => {
    expect(fieldsOf(await list('?page=1&page=2'))).toEqual(['page']);
    expect(fieldsOf(await list('?size=1&size=2'))).toEqual(['size']);
  });

  it('401 without a key, 403 without token:read', async () => {
    expect((await vault.request('GET', '/tokens')).status).toBe(401);
    const answer = await list('', tenant.keys.public);
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Missing permission: token:read' } });
  });
});

describe('the record of a list', () => {
  it.each([
    ['GET', '/tokens?size=7&page=2'],
    ['GET', '/v2/tokens?size=7'],
    ['POST', '/tokens/search'],
    ['POST', '/v2/tokens/search'],
  ])('has a read of each token that %s %s shows, and of no other', async (method, path) => {
    const requestId = `trace-${crypto.randomUUID()}`;
    const headers = { 'bt-trace-id': requestId };
    const answer = pageOf(
      await vault.request(method, path, {
        key: tenant.keys.private,
        headers,
        ...(method === 'POST' ? { body: { size: 7 } } : {}),
      }),
    );
    expect(answer.data).toHaveLength(7);
    const all = (await vault.auditRecords(tenant.id)).filter((record) => record['request_id'] === requestId);
    expect(all.filter(({ operation }) => operation === 'search')).toMatchObject([
      { entity_id: '*', outcome: 'success', transform: null, details: '{"found":7}' },
    ]);
    const records = all.filter(({ operation }) => operation !== 'search');
    expect(records.map((record) => String(record['entity_id'])).toSorted()).toEqual(idsOf(answer).toSorted());
    for (const record of records) {
      expect(record).toMatchObject({
        operation: 'read',
        outcome: 'success',
        entity_type: 'token',
        containers: ['/general/high/'],
        transform: 'mask',
      });
    }
  });

  it('counts what was guessed and is not there, even beside what is, and behind a cursor of the own hand', async () => {
    const [known = ''] = idsOf(await page('?size=1'));
    const before = (await vault.auditRecords(tenant.id)).length;
    const key = tenant.keys.private;
    const cursor = `${10 ** 14}.abc`;
    await vault.request('GET', `/tokens?id=${known}&id=guess-1&id=guess-2`, { key });
    await vault.request('GET', `/v2/tokens?id=${known}&id=guess-1&id=guess-2`, { key });
    await vault.request('GET', `/v2/tokens?id=guess-1&start=${cursor}`, { key });
    await vault.request('POST', '/v2/tokens/search', { key, body: { query: 'data:a OR data:b', start: cursor } });
    const searches = (await vault.auditRecords(tenant.id)).slice(before).filter((one) => one['operation'] === 'search');
    expect(searches.map(({ outcome, details }) => `${String(outcome)} ${String(details)}`)).toEqual([
      'success {"fields":["id"],"found":1,"missing":2}',
      'success {"fields":["id"],"found":1,"missing":2}',
      'missed {"fields":["id"],"found":0,"missing":1}',
      'missed {"fields":["data"],"found":0,"missing":2}',
    ]);
  });

  it('has no read when nothing was shown', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    await page('?page=100');
    await page('?metadata.group=none');
    expect((await vault.auditRecords(tenant.id)).slice(before)).toMatchObject([
      { operation: 'search', outcome: 'success', details: '{"found":0}' },
      { operation: 'search', outcome: 'missed', details: '{"fields":["metadata"],"found":0,"missing":1}' },
    ]);
  });
});
