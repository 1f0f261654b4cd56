import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApplication, fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';
import type { TenantId } from '../../../core/identity/ids.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

const paths = ['/tokens/search', '/v2/tokens/search'];
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const create = (body: unknown, owner = tenant) => vault.request('POST', '/tokens', { key: owner.keys.private, body });
const post = (path: string, body: unknown, key = tenant.keys.private) => vault.request('POST', path, { key, body });

async function search(
  query: string,
  { key = tenant.keys.private, url }: { key?: string; url?: string } = {},
): Promise<string[]> {
  const answers = paths.map((path) =>
    vault.request('POST', path, { key, body: { query, size: 100 }, ...(url === undefined ? {} : { url }) }),
  );
  const [page, cursorPage] = (await Promise.all(answers)).map(pageOf);
  if (page === undefined || cursorPage === undefined) throw new Error('A search was not answered.');
  expect(idsOf(cursorPage)).toEqual(idsOf(page));
  expect(page.pagination.total_items).toBe(page.data.length);
  return idsOf(page).toSorted();
}

describe('a search sees every write before it', () => {
  it('a hundred times in a row, from another server', async () => {
    const other = await vault.startAnother();
    for (let index = 0; index < 100; index += 1) {
      const id = `token-${index}`;
      await create({
        id,
        type: 'token',
        data: { n: index },
        metadata: { m: `v${index}` },
        search_indexes: ['{{ data.n }}'],
      });
      const query = [`data:${index}`, `metadata.m:v${index}`, `id:${id}`][index % 3] ?? '';
      expect(await search(query, { url: other.url })).toEqual([id]);
    }
    expect(await search('', { url: other.url })).toHaveLength(100);
  });

  it('after a tokenization, a change and a deletion', async () => {
    const request = { type: 'social_security_number', data: '111-22-3333', id: 'ssn' };
    await vault.request('POST', '/tokenize', { key: tenant.keys.private, body: { deep: [request] } });
    expect(await search('data:3333')).toEqual(['ssn']);
    await vault.request('PATCH', '/tokens/ssn', {
      key: tenant.keys.private,
      headers: mergePatch,
      body: { data: '444-55-6666' },
    });
    expect([await search('data:3333'), await search('data:111-22-3333')]).toEqual([[], []]);
    expect([await search('data:6666'), await search('data:444556666')]).toEqual([['ssn'], ['ssn']]);
    await vault.request('PATCH', '/tokens/ssn', {
      key: tenant.keys.private,
      headers: mergePatch,
      body: { search_indexes: ['x{{ data | last4 }}'] },
    });
    expect([await search('data:6666'), await search('data:x6666')]).toEqual([[], ['ssn']]);
    await vault.request('DELETE', '/tokens/ssn', { key: tenant.keys.private });
    expect(await search('data:x6666')).toEqual([]);
  });
});

describe('a search never finds', () => {
  it('plaintext that was not indexed', async () => {
    await create({
      type: 'token',
      data: 'top secret',
      mask: '{{ data | reveal_last: 6 }}',
      fingerprint_expression: '{{ data }}',
    });
    await create({ type: 'card', data: { number: '4242424242424242', cvc: '123' } });
    await create({ type: 'token', data: 'a', search_indexes: ['{{ data }}b'] });
    await create({ type: 'social_security_number', data: '123-45-6789', search_indexes: [] });
    const texts = [
      'top secret',
      'secret',
      'XXXX secret',
      '4242424242424242',
      '123',
      '4242',
      'a',
      'b',
      '123-45-6789',
      '6789',
      '*',
      '%',
      '_',
    ];
    for (const text of texts) expect(await search(`data:"${text}"`)).toEqual([]);
    expect(await search('data:ab')).toHaveLength(1);
  });

  it('metadata through data, or data through metadata', async () => {
    await create({ type: 'token', data: 'value', search_indexes: ['{{ data }}'], metadata: { data: 'other' } });
    expect(await search('data:other')).toEqual([]);
    expect(await search('metadata.data:value')).toEqual([]);
    expect([(await search('data:value')).length, (await search('metadata.data:other')).length]).toEqual([1, 1]);
  });

  it('what another tenant has, whatever is asked', async () => {
    const other = await vault.makeTenant();
    const body = {
      id: 'shared-id',
      type: 'social_security_number',
      data: '123-45-6789',
      metadata: { m: 'x' },
      containers: ['/theirs/'],
    };
    const theirs = (await create(body, other)).body as { fingerprint: string; created_by: string };
    await create({ id: 'mine', type: 'token', data: 1 });
    const queries = [
      'id:shared-id',
      'data:6789',
      'data:123-45-6789',
      'metadata.m:x',
      'container:"/theirs/"',
      `fingerprint:${theirs.fingerprint}`,
      `created_by:${theirs.created_by}`,
      'type:social_security_number',
    ];
    for (const query of queries) {
      expect(await search(query)).toEqual([]);
      expect(await search(query, { key: other.keys.private })).toEqual(['shared-id']);
      expect(await search(`NOT ${query}`)).toEqual(['mine']);
    }
  });

  it('the same value under the same hash in two tenants', async () => {
    const other = await vault.makeTenant();
    for (const owner of [tenant, other])
      await create({ type: 'social_security_number', data: '123-45-6789', metadata: { m: 'x' } }, owner);
    const { rows } = await vault.database.owner.query(
      'select count(*)::int as listed, count(distinct term)::int as terms from token_terms where tenant_id = any($1)',
      [[tenant.id, other.id]],
    );
    expect(rows).toEqual([{ listed: 8, terms: 8 }]);
  });
});

describe('a search is refused', () => {
  it.each([
    ['secret', 0],
    ['secret:1', 0],
    ['id:a secret', 5],
    ['id:a AND', 8],
    ['id:a id:secret', 5],
    ['id:"secret', 3],
    ['(id:secret', 10],
    ['id:secret)', 9],
    ['type:secret*', 5],
    ['data:[secret TO *]', 5],
    ['container:secret', 10],
    ['created_at:secret', 11],
    ['created_at:[2020-01-01 TO secret]', 26],
    ['   ', 3],
    ['id:secret\0', 9],
    [`${'('.repeat(40)}id:secret${')'.repeat(40)}`, 32],
  ])('400 %j names the place, never the text', async (query, offset) => {
    for (const path of paths) {
      const answer = await post(path, { query });
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(['query']);
      expect(answer.text).toContain(`at offset ${offset}.`);
      expect(answer.text).not.toContain('secret');
    }
  });

  it('400 beyond 200 characters, and not before', async () => {
    await create({ id: 'x'.repeat(190), type: 'token', data: 1 });
    const query = `id:${'x'.repeat(190)}`;
    expect(await search(query.padEnd(200))).toHaveLength(1);
    for (const path of paths) {
      for (const tooLong of [query.padEnd(201), `data:"${'secret'.repeat(100)}"`, `data:${'😀'.repeat(196)}`]) {
        const answer = await post(path, { query: tooLong });
        expect(answer.status).toBe(400);
        expect(fieldsOf(answer)).toEqual(['query']);
        expect(answer.text).not.toContain('secret');
      }
    }
  });

  it.each([
    ['query', { query: 7 }],
    ['query', { query: ['id:a'] }],
    ['size', { size: 0 }],
    ['size', { size: 101 }],
    ['size', { size: 1.5 }],
    ['size', { size: '20' }],
  ])('400 names %s of %j', async (field, body) => {
    for (const path of paths) {
      const answer = await post(path, body);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toContain(field);
    }
  });

  it.each([0, -1, 1.5, '1', 1_000_000_000])('400 names page %j', async (page) => {
    const answer = await post('/tokens/search', { page });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain('page');
  });

  it('403 without token:search, even with token:read', async () => {
    const { key } = await createApplication(vault, tenant, { permissions: ['token:read'] });
    for (const path of paths) {
      expect(await post(path, {}, key)).toMatchObject({
        status: 403,
        body: { detail: 'Missing permission: token:search' },
      });
    }
  });

  it('leaves no record where it is malformed, and nothing of the query in any', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    await post('/tokens/search', { query: 'data:needle-7c1 needle-7c1' });
    await search('data:needle-7c1');
    const records = (await vault.auditRecords(tenant.id)).slice(before);
    const miss = {
      entity_id: '*',
      operation: 'search',
      outcome: 'missed',
      details: '{"fields":["data"],"found":0,"missing":1}',
    };
    expect(records).toMatchObject(records.map(() => miss));
    expect(records.length).toBeGreaterThan(0);
    expect(JSON.stringify(records)).not.toContain('needle-7c1');
    expect(vault.logLines.filter((line) => line.includes('needle-7c1'))).toEqual([]);
  });
});

describe('a key that searches some containers', () => {
  it('finds and counts only there, under the transform of the rule that covers', async () => {
    const mask = '{{ data | reveal_last: 1 }}';
    for (const place of ['a', 'b', 'c']) {
      for (const index of [1, 2]) {
        await create({
          id: `${place}-${index}`,
          type: 'token',
          data: `d${place}${index}`,
          mask,
          containers: [`/${place}/`],
          metadata: { m: 'x' },
          search_indexes: [`i${index}`],
        });
      }
    }
    const rule = (container: string, transform: string, priority: number) => ({
      description: '',
      priority,
      container,
      transform,
      permissions: ['token:search'],
    });
    const { key } = await createApplication(vault, tenant, {
      permissions: [],
      rules: [rule('/a/', 'reveal', 1), rule('/b/', 'mask', 2)],
    });
    expect(await search('', { key })).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    expect(await search('metadata.m:x', { key })).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    expect(await search('data:i1', { key })).toEqual(['a-1', 'b-1']);
    expect(await search('data:i1 OR id:c-2', { key })).toEqual(['a-1', 'b-1']);
    expect(await search('NOT container:"/a/"', { key })).toEqual(['b-1', 'b-2']);
    expect(await search('container:"/c/*"', { key })).toEqual([]);
    const page = pageOf(await post('/tokens/search', { query: 'data:i2', size: 1 }, key));
    expect(page).toMatchObject({ pagination: { total_items: 2, total_pages: 2 }, data: [{ id: 'b-2', data: 'XX2' }] });
    expect(pageOf(await post('/tokens/search', { query: 'data:i2', size: 1, page: 2 }, key)).data).toMatchObject([
      { id: 'a-2', data: 'da2' },
    ]);
    expect((await vault.request('GET', '/tokens', { key })).status).toBe(403);
  });
});

describe('metadata that an earlier version has listed', () => {
  it('is found by its key as it was written, and by any spelling after an update', async () => {
    const key = tenant.keys.private;
    const body = { id: 'old', type: 'token', data: 'v', metadata: { OrderId: 'A1' } };
    expect((await vault.request('POST', '/tokens', { key, body })).status).toBe(201);
    // Earlier versions computed the term from the key as sent.
    const keys = await vault.server.core.keyring.forTenant(tenant.id as TenantId);
    const term = keys.blindIndex('metadata', 'OrderId', 'a1');
    await vault.database.owner.query('update tokens set terms = array[$2::bytea] where tenant_id = $1', [
      tenant.id,
      term,
    ]);
    await vault.database.owner.query('update token_terms set term = $2 where tenant_id = $1', [tenant.id, term]);

    const found = async (query: string) =>
      idsOf(pageOf(await vault.request('POST', '/tokens/search', { key, body: { query } })));
    expect(await found('metadata.OrderId:A1')).toEqual(['old']);
    expect(await found('NOT metadata.OrderId:A1')).toEqual([]);
    const headers = { 'content-type': 'application/merge-patch+json' };
    await vault.request('PATCH', '/tokens/old', { key, headers, body: { metadata: { more: 'x' } } });
    for (const name of ['OrderId', 'orderid', 'ORDERID']) expect(await found(`metadata.${name}:A1`)).toEqual(['old']);
  });
});
