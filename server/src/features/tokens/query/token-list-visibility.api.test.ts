import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

const permissions = ['token:read', 'token:search'];

/** Creates a key whose rules grant reading and searching, in the order given. */
async function makeKey(...rules: readonly (readonly [container: string, transform: string])[]): Promise<string> {
  const wanted = rules.map(([container, transform], index) => ({
    description: '',
    priority: index + 1,
    container,
    transform,
    permissions,
  }));
  return (await createApplication(vault, tenant, { permissions: [], rules: wanted })).key;
}

async function create(id: string, more: object = {}): Promise<void> {
  const body = { id, type: 'token', data: `value of ${id}`, mask: '{{ data | reveal_last: 2 }}', ...more };
  const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  expect(answer.status).toBe(201);
}

const everywhere = [
  ['GET', '/tokens'],
  ['GET', '/v2/tokens'],
  ['POST', '/tokens/search'],
  ['POST', '/v2/tokens/search'],
] as const;

/** Returns the tokens that every kind of list shows to a key, and checks that the totals agree. */
async function seen(key: string, { query = '', search = '' }: { query?: string; search?: string } = {}) {
  const answers = await Promise.all(
    everywhere.map(([method, path]) =>
      method === 'GET'
        ? vault.request(method, `${path}?size=100${query}`, { key })
        : vault.request(method, path, { key, body: { size: 100, query: search } }),
    ),
  );
  const [list, ...others] = answers.map(pageOf);
  for (const other of others) expect(other.data).toEqual(list?.data);
  for (const { pagination } of [list, others[1]].filter((page) => page !== undefined))
    expect(pagination.total_items).toBe(list?.data.length);
  return list?.data ?? [];
}
const seenIds = async (key: string, filters?: { query?: string; search?: string }) =>
  (await seen(key, filters)).map(({ id }) => id).toSorted();

describe('what a list leaves out', () => {
  it('are tokens in containers that no rule covers, and they are not counted', async () => {
    await create('a-1', { containers: ['/a/'] });
    await create('a-2', { containers: ['/a/deep/er/'] });
    await create('ab-1', { containers: ['/ab/'] });
    await create('b-1', { containers: ['/b/'] });
    await create('root', { containers: ['/'] });
    expect(await seenIds(await makeKey(['/a/', 'mask']))).toEqual(['a-1', 'a-2']);
    expect(await seenIds(await makeKey(['/a/deep/', 'mask'], ['/b/', 'mask']))).toEqual(['a-2', 'b-1']);
    expect(await seenIds(await makeKey(['/', 'mask']))).toEqual(['a-1', 'a-2', 'ab-1', 'b-1', 'root']);
    expect(await seenIds(await makeKey(['/none/', 'mask']))).toEqual([]);
  });

  it('are the same tokens under every kind of filter', async () => {
    for (const place of ['in', 'out']) {
      await create(`${place}-1`, { containers: [`/${place}/`], metadata: { m: 'x' }, search_indexes: ['same'] });
      await create(`${place}-2`, { containers: [`/${place}/`], metadata: { m: 'y' }, search_indexes: ['same'] });
    }
    const key = await makeKey(['/in/', 'mask']);
    const ids = ['in-1', 'in-2', 'out-1', 'out-2'].map((id) => `&id=${id}`).join('');
    expect(await seenIds(key, { query: '&metadata.m=x', search: 'metadata.m:x' })).toEqual(['in-1']);
    expect(await seenIds(key, { query: ids, search: 'id:in-1 OR id:in-2 OR id:out-1 OR id:out-2' })).toEqual([
      'in-1',
      'in-2',
    ]);
    expect(await seenIds(key, { query: '&type=token', search: 'type:token' })).toEqual(['in-1', 'in-2']);
    for (const search of [
      'data:same',
      'NOT id:nothing',
      'container:"/*"',
      'container:"/out/" OR data:same',
      'created_at:[2020-01-01 TO *]',
    ]) {
      const body = { query: search, size: 1 };
      const page = pageOf(await vault.request('POST', '/tokens/search', { key, body }));
      expect(page.pagination).toMatchObject({ total_items: 2, total_pages: 2 });
      expect(page.data[0]?.id).toMatch(/^in-/);
    }
    expect(await seenIds(key, { query: '&id=out-1', search: 'container:"/out/"' })).toEqual([]);
  });

  it('is no token of which any container is covered', async () => {
    await create('both', { containers: ['/x/', '/y/'] });
    await create('swapped', { containers: ['/y/', '/x/'] });
    await create('other', { containers: ['/z/', '/w/'] });
    expect(await seenIds(await makeKey(['/y/', 'mask']))).toEqual(['both', 'swapped']);
    expect(await seenIds(await makeKey(['/w/', 'mask'], ['/x/', 'mask']))).toEqual(['both', 'other', 'swapped']);
  });

  it('are tokens of which the key may do other things only', async () => {
    await create('a-1', { containers: ['/a/'] });
    await create('b-1', { containers: ['/b/'] });
    const rules = [
      { description: '', priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] },
      { description: '', priority: 2, container: '/b/', transform: 'mask', permissions: ['token:search'] },
    ];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    expect(idsOf(pageOf(await vault.request('GET', '/tokens', { key })))).toEqual(['a-1']);
    expect(idsOf(pageOf(await vault.request('POST', '/tokens/search', { key, body: {} })))).toEqual(['b-1']);
  });

  it('follows a token that moves to another container', async () => {
    await create('mover', { containers: ['/a/'] });
    const [a, b] = [await makeKey(['/a/', 'mask']), await makeKey(['/b/', 'mask'])];
    const headers = { 'content-type': 'application/merge-patch+json' };
    const moved = await vault.request('PATCH', '/tokens/mover', {
      key: tenant.keys.private,
      headers,
      body: { containers: ['/b/'] },
    });
    expect(moved.status).toBe(200);
    expect([await seenIds(a), await seenIds(b)]).toEqual([[], ['mover']]);
  });

  it('are expired tokens, from data and total, from that instant on', async () => {
    for (const id of ['stays', 'goes-1', 'goes-2']) {
      await create(id, { metadata: { m: 'x' }, search_indexes: ['same'], expires_at: '2099-01-01' });
    }
    expect(await seenIds(tenant.keys.private)).toHaveLength(3);
    await vault.database.owner.query(`update tokens set expires_at = now() where tenant_id = $1 and id like 'goes-%'`, [
      tenant.id,
    ]);
    expect(await seenIds(tenant.keys.private)).toEqual(['stays']);
    expect(await seenIds(await makeKey(['/general/', 'mask']))).toEqual(['stays']);
    expect(await seenIds(tenant.keys.private, { query: '&metadata.m=x', search: 'metadata.m:x' })).toEqual(['stays']);
    expect(await seenIds(tenant.keys.private, { query: '&type=token', search: 'data:same' })).toEqual(['stays']);
    expect(
      await seenIds(tenant.keys.private, { query: '&id=goes-1&id=stays', search: 'id:goes-1 OR id:stays' }),
    ).toEqual(['stays']);
    await vault.database.owner.query(`update tokens set expires_at = now() where tenant_id = $1`, [tenant.id]);
    expect(await seenIds(tenant.keys.private)).toEqual([]);
  });

  it('are deleted tokens', async () => {
    for (const id of ['one', 'two']) await create(id, { metadata: { m: 'x' }, search_indexes: ['same'] });
    await vault.request('DELETE', '/tokens/one', { key: tenant.keys.private });
    expect(await seenIds(tenant.keys.private)).toEqual(['two']);
    expect(await seenIds(tenant.keys.private, { query: '&metadata.m=x', search: 'data:same' })).toEqual(['two']);
    await vault.request('DELETE', '/tokens/two', { key: tenant.keys.private });
    expect(await seenIds(tenant.keys.private, { search: 'data:same' })).toEqual([]);
  });

  it('are tokens of other tenants', async () => {
    await create('mine', { metadata: { m: 'x' } });
    const other = await vault.makeTenant();
    expect(await seenIds(other.keys.reveal)).toEqual([]);
    expect(await seenIds(other.keys.reveal, { query: '&metadata.m=x', search: 'metadata.m:x' })).toEqual([]);
  });
});

describe('how a list shows a token', () => {
  it('is decided by the first rule that covers it: masked here, revealed there, redacted elsewhere', async () => {
    await create('masked', { containers: ['/m/'] });
    await create('revealed', { containers: ['/r/'] });
    await create('redacted', { containers: ['/x/'] });
    await create('both', { containers: ['/m/', '/r/'] });
    await create('maskless', { containers: ['/m/'], mask: null });
    const key = await makeKey(['/m/', 'mask'], ['/r/', 'reveal'], ['/', 'redact']);
    const data = Object.fromEntries((await seen(key)).map((token) => [token.id, token.data]));
    expect(data).toEqual({
      masked: 'XXXXXXXXXXXXXed',
      revealed: 'value of revealed',
      redacted: undefined,
      both: 'XXXXXXXXXXXth',
      maskless: undefined,
    });
  });

  it('is how a single read shows it', async () => {
    await create('a-1', {
      containers: ['/a/'],
      metadata: { m: 'x' },
      search_indexes: ['{{ data }}'],
      expires_at: '2099-01-01',
    });
    const data = { number: '4242424242424242', expiration_month: 1, expiration_year: 2040, cvc: 123 };
    await create('card', { type: 'card', mask: undefined, data });
    for (const key of [tenant.keys.private, tenant.keys.reveal]) {
      for (const token of await seen(key)) {
        const single = await vault.request('GET', `/tokens/${token.id}`, { key });
        expect(single.body).toEqual(token);
      }
    }
    const [card] = await seen(tenant.keys.reveal, { query: '&type=card', search: 'type:card' });
    expect(card?.data).toEqual(data);
  });

  it('keeps the spelling of the data', async () => {
    const rawBody = '{"type":"token","data":{ "n":1.0 , "e":1e400}}';
    await vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody });
    for (const path of ['/tokens', '/v2/tokens']) {
      const answer = await vault.request('GET', path, { key: tenant.keys.reveal });
      expect(answer.text).toContain('"data":{ "n":1.0 , "e":1e400}');
    }
  });
});

describe('a token that appears while a list is made', () => {
  it.each(everywhere)('is not shown by %s %s to a key that may not see it', async (method, path) => {
    await create('a-1', { containers: ['/a/'], search_indexes: ['same'] });
    const key = await makeKey(['/a/', 'mask']);
    const tap = new StatementTap();
    try {
      for (const query of ['', 'data:same', 'NOT id:none', 'container:"/a/*" OR type:card']) {
        tap.interrupt(
          ({ text }) => text.startsWith('with page'),
          () => create(`late-${crypto.randomUUID()}`, { containers: ['/hidden/'], search_indexes: ['same'] }),
        );
        const answer = await vault.request(method, path, { key, ...(method === 'POST' ? { body: { query } } : {}) });
        expect(idsOf(pageOf(answer))).toEqual(['a-1']);
      }
    } finally {
      tap.close();
    }
  });

  it('is not shown under a filter that it does not match', async () => {
    await create('general');
    const tap = new StatementTap();
    try {
      tap.interrupt(
        ({ text }) => text.startsWith('with page'),
        () => create('late', { type: 'card_number', data: '4242424242424242' }),
      );
      const answer = await vault.request('GET', '/tokens?type=token', { key: tenant.keys.private });
      expect(idsOf(pageOf(answer))).toEqual(['general']);
    } finally {
      tap.close();
    }
  });
});
