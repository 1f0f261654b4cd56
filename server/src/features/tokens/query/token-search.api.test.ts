import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, type TestApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

let vault: TestVault;
let tenant: TestTenant;
let author: TestApplication;
let editor: TestApplication;
/** Values that the vault generated and that the tests search for. */
const facts = { ssnFingerprint: '', editedAt: '' };

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  author = await createApplication(vault, tenant, { permissions: ['token:create'] });
  editor = await createApplication(vault, tenant, { permissions: ['token:update', 'token:read'] });
  await create({
    id: 'ssn',
    type: 'social_security_number',
    data: '123-45-6789',
    metadata: { Name: 'Ada LOVELACE', tier: 'gold' },
  });
  await create({ id: 'ein', type: 'employer_id_number', data: '12-3456789', metadata: { tier: 'Gold' } });
  await create({ id: 'card', type: 'card_number', data: '4242424242424242' });
  await create({
    id: 'plain',
    type: 'token',
    data: 'not indexed',
    metadata: { 'user id': '34445', 'a.b': 'x:y', empty: '' },
  });
  await create({
    id: 'indexed',
    type: 'token',
    data: { a: 'One (1)', n: 12.5, t: true },
    search_indexes: ['{{ data.a }}', '{{ data.n }}', '{{ data.t }}', 'p-{{ data.a }}'],
  });
  await create({ id: 'placed', type: 'token', data: 1, containers: ['/customer-1/pii/', '/Shared/'] });
  await create({ id: 'sub', type: 'token', data: 1, containers: ['/customer-1/pii/deep/'] });
  await create({ id: 'near', type: 'token', data: 1, containers: ['/customer-12/'] });
  await create({ id: 'by author', type: 'token', data: 1 }, author.key);
  const headers = { 'content-type': 'application/merge-patch+json' };
  const edited = await vault.request('PATCH', '/tokens/sub', {
    key: editor.key,
    headers,
    body: { metadata: { tier: 'silver' } },
  });
  expect(edited.status).toBe(200);
  facts.editedAt = (edited.body as { modified_at: string }).modified_at;
  // The creation times are on different days in the past, so that ranges can separate them.
  await placeAt('ssn', '2020-01-15T10:30:00.500Z');
  await placeAt('ein', '2020-01-28T23:59:59.999Z');
  await placeAt('card', '2020-01-29T00:00:00.000Z');
});
afterAll(() => vault.stop());

async function create(body: { id: string; [field: string]: unknown }, key = tenant.keys.private): Promise<void> {
  const answer = await vault.request('POST', '/tokens', { key, body });
  expect(answer.status).toBe(201);
  if (body.id === 'ssn') facts.ssnFingerprint = (answer.body as { fingerprint: string }).fingerprint;
}

async function placeAt(id: string, createdAt: string): Promise<void> {
  await vault.database.owner.query('update tokens set created_at = $2 where id = $1', [id, createdAt]);
  await vault.database.owner.query('update token_terms set created_at = $2 where token_id = $1', [id, createdAt]);
}

/** Returns the ids that a search with a cursor finds, sorted. */
async function searchByCursor(query: string): Promise<string[]> {
  const body = { query, size: 100 };
  return idsOf(pageOf(await vault.request('POST', '/v2/tokens/search', { key: tenant.keys.private, body }))).toSorted();
}

/** Returns the ids that both searches find, sorted, and checks that their totals and orders agree. */
async function search(query: string, key = tenant.keys.private): Promise<string[]> {
  const page = pageOf(await vault.request('POST', '/tokens/search', { key, body: { query, size: 100 } }));
  const cursorPage = pageOf(await vault.request('POST', '/v2/tokens/search', { key, body: { query, size: 100 } }));
  expect(cursorPage.data).toEqual(page.data);
  expect(page.pagination).toMatchObject({ total_items: page.data.length, page_number: 1, page_size: 100 });
  return idsOf(page).toSorted();
}

const all = ['by author', 'card', 'ein', 'indexed', 'near', 'placed', 'plain', 'ssn', 'sub'];
const except = (...ids: string[]) => all.filter((id) => !ids.includes(id));

describe('a search by', () => {
  it.each([
    ['id:ssn', ['ssn']],
    ['id:"by author"', ['by author']],
    ['id:by\\ author', ['by author']],
    ['id:SSN', []],
    ['id:none', []],
    ['type:card_number', ['card']],
    ['type:token', ['by author', 'indexed', 'near', 'placed', 'plain', 'sub']],
    ['type:TOKEN', []],
    ['type:nonsense', []],
  ])('id and type: %s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it.each([
    ['data:123-45-6789', ['ssn']],
    ['data:"123-45-6789"', ['ssn']],
    ['data:123456789', ['ein', 'ssn']],
    ['data:6789', ['ein', 'ssn']],
    ['data:12-3456789', ['ein']],
    ['data:678', []],
    ['data:12345-6789', []],
    ['data:"One (1)"', ['indexed']],
    ['data:"one (1)"', []],
    ['data:"p-One (1)"', ['indexed']],
    ['data:12.5', ['indexed']],
    ['data:true', ['indexed']],
    ['data:"not indexed"', []],
    ['data:4242424242424242', []],
    ['data:""', []],
  ])('search index: %s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it.each([
    ['metadata.tier:gold', ['ein', 'ssn']],
    ['metadata.tier:GOLD', ['ein', 'ssn']],
    ['metadata.Name:"ada lovelace"', ['ssn']],
    ['metadata.name:"ada lovelace"', ['ssn']],
    ['metadata.NAME:"ada lovelace"', ['ssn']],
    ['metadata.nam:"ada lovelace"', []],
    ['metadata.Name:ada', []],
    ['metadata.user\\ id:34445', ['plain']],
    ['metadata.a.b:x:y', ['plain']],
    ['metadata.empty:""', ['plain']],
    ['metadata.none:""', []],
    ['metadata.tier:silver', ['sub']],
  ])('metadata: %s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it.each([
    ['container:"/customer-1/pii/*"', ['placed', 'sub']],
    ['container:"/customer-1/*"', ['placed', 'sub']],
    ['container:"/SHARED/"', ['placed']],
    ['container:"/customer-12/*"', ['near']],
    ['container:"/*"', all],
    ['container:"/pii/high/"', ['ein', 'ssn']],
    ['container:"/pci/*" OR container:"/pii/*"', ['card', 'ein', 'ssn']],
  ])('container: %s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it.each([
    ['container:"/customer-1/pii/"', ['placed'], ['placed', 'sub']],
    ['container:/customer-1/pii/', ['placed'], ['placed', 'sub']],
    ['container:"/customer-1/"', [], ['placed', 'sub']],
    ['container:"/pci/"', [], ['card']],
    ['container:"/"', [], all],
    ['NOT container:"/customer-1/pii/"', except('placed'), except('placed', 'sub')],
    ['container:"/customer-1/" AND metadata.tier:silver', [], ['sub']],
  ])('container, which on the v2 route includes its children: %s', async (query, exactly, withChildren) => {
    const answer = await vault.request('POST', '/tokens/search', { key: tenant.keys.private, body: { query } });
    expect(idsOf(pageOf(answer)).toSorted()).toEqual(exactly);
    expect(await searchByCursor(query)).toEqual(withChildren);
  });

  it('fingerprint', async () => {
    expect(await search(`fingerprint:${facts.ssnFingerprint}`)).toEqual(['ssn']);
    expect(await search(`NOT fingerprint:${facts.ssnFingerprint}`)).toEqual(except('ssn'));
    expect(await search(`fingerprint:${facts.ssnFingerprint.toLowerCase()}`)).toEqual([]);
    expect(await search(`fingerprint:${facts.ssnFingerprint} OR id:card OR metadata.tier:silver`)).toEqual([
      'card',
      'ssn',
      'sub',
    ]);
  });

  it('author and editor, in any case of letters', async () => {
    expect(await search(`created_by:${author.id}`)).toEqual(['by author']);
    expect(await search(`created_by:${author.id.toUpperCase()}`)).toEqual(['by author']);
    expect(await search(`NOT created_by:${author.id}`)).toEqual(except('by author'));
    expect(await search(`modified_by:${editor.id}`)).toEqual(['sub']);
    expect(await search(`created_by:${editor.id}`)).toEqual([]);
    expect(await search('created_by:nobody')).toEqual([]);
  });

  it.each([
    ['created_at:2020-01-15', ['ssn']],
    ['created_at:2020-01-15T10:30Z', ['ssn']],
    ['created_at:2020-01-15T10:30:00Z', ['ssn']],
    ['created_at:2020-01-15T10:30:00.500Z', ['ssn']],
    ['created_at:2020-01-15T10:30:00.501Z', []],
    ['created_at:2020-01-15T12:30:00+02:00', ['ssn']],
    ['created_at:[2020-01-01 TO 2020-01-28]', ['ein', 'ssn']],
    ['created_at:[2020-01-01 TO 2020-01-29]', ['card', 'ein', 'ssn']],
    ['created_at:{2020-01-15 TO 2020-01-29}', ['ein']],
    ['created_at:{2020-01-15 TO 2020-01-29]', ['card', 'ein']],
    ['created_at:[2020-01-15 TO 2020-01-28}', ['ssn']],
    ['created_at:{* TO 2020-01-28}', ['ssn']],
    ['created_at:[* TO 2020-01-29]', ['card', 'ein', 'ssn']],
    ['created_at:[2020-01-29 TO *]', except('ein', 'ssn')],
    ['created_at:{2020-01-29 TO *}', except('card', 'ein', 'ssn')],
    ['created_at:[* TO *]', all],
    ['NOT created_at:[* TO *]', []],
    ['created_at:[2020-01-28T23:59:59.999Z TO 2020-01-28T23:59:59.999Z]', ['ein']],
    ['created_at:[2021-01-01 TO 2020-01-01]', []],
    ['created_at:[0001-01-01 TO 9999-12-31]', all],
    ['created_at:[0001-01-01T00:00+14:00 TO 9999-12-31T23:59:59.999-14:00]', all],
    ['modified_at:[* TO *]', ['sub']],
    ['NOT modified_at:[* TO *]', except('sub')],
    ['modified_at:[* TO 2020-12-31]', []],
    ['modified_at:[2020-01-01 TO *]', ['sub']],
    ['NOT modified_at:[* TO 2020-12-31]', all],
  ])('time: %s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it('the very instant of a change', async () => {
    expect(await search(`modified_at:${facts.editedAt}`)).toEqual(['sub']);
    expect(await search(`modified_at:{${facts.editedAt} TO *]`)).toEqual([]);
  });
});

describe('operators', () => {
  it.each([
    ['id:ssn OR id:card', ['card', 'ssn']],
    ['id:ssn || id:card', ['card', 'ssn']],
    ['id:ssn AND type:social_security_number', ['ssn']],
    ['id:ssn && type:card_number', []],
    ['NOT id:ssn', except('ssn')],
    ['!id:ssn', except('ssn')],
    ['-id:ssn', except('ssn')],
    ['NOT NOT id:ssn', ['ssn']],
    ['!(id:ssn OR id:card)', except('card', 'ssn')],
    ['NOT type:token', ['card', 'ein', 'ssn']],
    ['NOT metadata.tier:gold', except('ein', 'ssn')],
    ['-data:6789', except('ein', 'ssn')],
    ['NOT container:"/pii/*"', except('ein', 'ssn')],
    ['data:6789 AND metadata.tier:gold AND type:employer_id_number', ['ein']],
    ['data:6789 AND data:123-45-6789', ['ssn']],
    ['data:6789 AND NOT data:123-45-6789', ['ein']],
    ['data:6789 OR data:6789 OR metadata.tier:gold', ['ein', 'ssn']],
    ['metadata.tier:silver OR data:12.5', ['indexed', 'sub']],
    ['id:ssn OR id:card AND type:token', ['ssn']],
    ['(id:ssn OR id:card) AND type:card_number', ['card']],
    ['(type:social_security_number AND !metadata.tier:silver) OR data:12-3456789', ['ein', 'ssn']],
    ['id:ssn OR NOT type:token', ['card', 'ein', 'ssn']],
    ['NOT data:6789 AND NOT type:token', ['card']],
    ['((((id:ssn))))', ['ssn']],
    ['type:token AND container:"/general/*" AND NOT id:plain', ['by author', 'indexed']],
    ['type:card_number OR container:"/customer-1/*"', ['card', 'placed', 'sub']],
  ])('%s', async (query, ids) => {
    expect(await search(query)).toEqual(ids);
  });

  it('work over what a token lacks', async () => {
    expect(await search(`NOT modified_by:${editor.id}`)).toEqual(except('sub'));
    expect(await search(`NOT modified_by:${author.id}`)).toEqual(all);
    expect(await search(`modified_by:${editor.id} OR NOT modified_by:${editor.id}`)).toEqual(all);
    expect(await search(`NOT (modified_by:${editor.id} AND id:sub)`)).toEqual(except('sub'));
  });
});

describe('a search without a query', () => {
  it.each([{}, { query: '' }, { query: null }, { query: null, page: null, size: null }, { start: null }])(
    'lists everything: %j',
    async (body) => {
      for (const path of ['/tokens/search', '/v2/tokens/search']) {
        const page = pageOf(await vault.request('POST', path, { key: tenant.keys.private, body }));
        expect(idsOf(page).toSorted()).toEqual(all);
        expect(page.pagination.page_size).toBe(20);
      }
    },
  );
});

describe('the pages of a search', () => {
  it.each(['', 'type:token', 'metadata.tier:gold', 'id:ssn OR data:6789', 'NOT id:ssn'])(
    'cover %j once, in the order of a list',
    async (query) => {
      const whole = pageOf(
        await vault.request('POST', '/tokens/search', { key: tenant.keys.private, body: { query, size: 100 } }),
      );
      const total = whole.data.length;
      const pages = await Promise.all(
        Array.from({ length: total + 1 }, (_, index) =>
          vault
            .request('POST', '/tokens/search', { key: tenant.keys.private, body: { query, page: index + 1, size: 1 } })
            .then(pageOf),
        ),
      );
      expect(pages.flatMap(idsOf)).toEqual(idsOf(whole));
      for (const { pagination } of pages)
        expect(pagination).toMatchObject({ total_items: total, total_pages: total, page_size: 1 });
      expect(pages.at(-1)?.data).toEqual([]);
    },
  );
});
