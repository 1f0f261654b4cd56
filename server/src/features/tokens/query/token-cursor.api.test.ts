import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { type AnsweredPage, followPages, idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

/** Creates tokens with the same creation time. */
async function createTogether(count: number, more: object = {}): Promise<string[]> {
  const body = Array.from({ length: count }, (_, index) => ({ type: 'token', data: index, ...more }));
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
  return (answer.body as { id: string }[]).map(({ id }) => id);
}

type FetchPage = (start: string | undefined, size: number) => Promise<AnsweredPage>;
const listPage: FetchPage = async (start, size) => {
  const query = `size=${size}${start === undefined ? '' : `&start=${encodeURIComponent(start)}`}`;
  return pageOf(await vault.request('GET', `/v2/tokens?${query}`, { key: tenant.keys.private }));
};
const searchPage =
  (query: string): FetchPage =>
  async (start, size) =>
    pageOf(
      await vault.request('POST', '/v2/tokens/search', { key: tenant.keys.private, body: { query, start, size } }),
    );

/** Every kind of plan that a cursor can be used with. */
const ways: [string, FetchPage][] = [
  ['a list', listPage],
  ['a search of everything', searchPage('')],
  ['a search by shelf', searchPage('type:token')],
  ['a search under one term', searchPage('metadata.k:v')],
  ['a search under several terms', searchPage('metadata.k:v OR metadata.k:w')],
  ['a search that scans', searchPage('NOT id:none')],
];

async function follow(fetchPage: FetchPage, size: number): Promise<string[]> {
  const pages = await followPages((start) => fetchPage(start, size), 300);
  for (const page of pages) expect(page.pagination.page_size).toBe(size);
  for (const page of pages.slice(0, -1)) expect(page.data).toHaveLength(size);
  return pages.flatMap(idsOf);
}

describe('following next', () => {
  it('finds 250 tokens of few instants, each once and in order, whatever the way and the size', async () => {
    const groups: string[][] = [];
    for (const count of [120, 1, 1, 100, 28]) groups.push(await createTogether(count, { metadata: { k: 'v' } }));
    const expected = groups.toReversed().flatMap((ids) => ids.toSorted().toReversed());
    for (const [name, fetchPage] of ways) {
      for (const size of [7, 50, 100])
        expect(await follow(fetchPage, size), `${name}, ${size} on a page`).toEqual(expected);
    }
  });

  it('has no next on the last page, even when it is full', async () => {
    await createTogether(20, { metadata: { k: 'v' } });
    for (const [, fetchPage] of ways) {
      expect((await fetchPage(undefined, 20)).pagination).toEqual({ page_size: 20 });
      expect((await fetchPage(undefined, 19)).pagination).toEqual({ page_size: 19, next: expect.any(String) });
      expect((await fetchPage(undefined, 21)).pagination).toEqual({ page_size: 21 });
    }
  });

  it('has no next in an empty tenant, and 20 tokens on a page by default', async () => {
    const empty = await vault.request('GET', '/v2/tokens', { key: tenant.keys.private });
    expect(empty.body).toEqual({ pagination: { page_size: 20 }, data: [] });
    await createTogether(21);
    const page = pageOf(await vault.request('GET', '/v2/tokens', { key: tenant.keys.private }));
    expect([page.pagination.page_size, page.data.length]).toEqual([20, 20]);
  });

  it.each(ways)('of %s neither repeats nor misses while tokens come and go', async (_name, fetchPage) => {
    const stable = [
      ...(await createTogether(40, { metadata: { k: 'v' } })),
      ...(await createTogether(40, { metadata: { k: 'v' } })),
    ];
    const doomed = new Set(stable.filter((_, index) => index % 4 === 0));
    const kept = stable.filter((id) => !doomed.has(id));
    const seen: string[] = [];
    await followPages(async (start) => {
      const page = await fetchPage(start, 9);
      seen.push(...idsOf(page));
      await createTogether(3, { metadata: { k: 'v' } });
      // The last token of the page is the one in the cursor, so it is deleted first.
      const gone = [idsOf(page).at(-1) ?? '', ...[...doomed].slice(0, 2)].filter((id) => doomed.has(id));
      for (const id of gone) {
        doomed.delete(id);
        await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private });
      }
      return page;
    }, 30);
    expect(new Set(seen).size).toBe(seen.length);
    expect(kept.filter((id) => !seen.includes(id))).toEqual([]);
    expect(seen.filter((id) => !stable.includes(id))).toEqual([]);
  });

  it('goes on after a token that was deleted or expired since', async () => {
    const ids = (await createTogether(9)).toSorted().toReversed();
    const first = await listPage(undefined, 3);
    await vault.request('DELETE', `/tokens/${ids[2]}`, { key: tenant.keys.private });
    expect(idsOf(await listPage(first.pagination.next, 3))).toEqual(ids.slice(3, 6));
    await vault.database.owner.query(
      'update tokens set expires_at = now(), expires_at_offset_minutes = 0 where id = any($1)',
      [ids.slice(3, 5)],
    );
    expect(idsOf(await listPage(first.pagination.next, 3))).toEqual(ids.slice(5, 8));
  });

  it('keeps to the filters of the request, which may change between pages', async () => {
    await createTogether(5, { metadata: { k: 'v' } });
    await createTogether(5, { metadata: { k: 'w' } });
    const first = await searchPage('metadata.k:w')(undefined, 2);
    const others = await searchPage('metadata.k:v')(first.pagination.next, 100);
    expect(others.data.map(({ metadata }) => metadata)).toEqual(Array.from({ length: 5 }, () => ({ k: 'v' })));
  });
});

describe('ids of 400 characters', () => {
  const fillings: [string, string][] = [
    ['ascii', 'x'],
    ['blanks and quotes', ` "'`],
    ['three bytes a character', '漢'],
    ['surrogate pairs', '😀'],
  ];

  it.each(fillings)('of %s page like any other', async (_name, filling) => {
    const ids = Array.from({ length: 30 }, (_, index) => `${index}-${filling.repeat(400)}`.slice(0, 400)).filter((id) =>
      id.isWellFormed(),
    );
    expect(ids.length).toBeGreaterThanOrEqual(10);
    const body = ids.map((id) => ({ id, type: 'token', data: 1, metadata: { k: 'v' } }));
    expect((await vault.request('POST', '/tokenize', { key: tenant.keys.private, body })).status).toBe(200);
    for (const [, fetchPage] of ways) {
      const pages = await followPages((start) => fetchPage(start, 4), 10);
      for (const { pagination } of pages) expect(pagination.next?.length ?? 0).toBeLessThanOrEqual(500);
      expect(pages.flatMap(idsOf).toSorted()).toEqual(ids.toSorted());
    }
  });

  it('page beside short ones of the same instant', async () => {
    const ids = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0 ? `${index}`.padEnd(400, 'y') : `id-${index}`,
    );
    const body = ids.map((id) => ({ id, type: 'token', data: 1, metadata: { k: 'v' } }));
    await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
    for (const [, fetchPage] of ways) expect((await follow(fetchPage, 7)).toSorted()).toEqual(ids.toSorted());
  });
});

describe('a cursor that is not ours', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Date.now();

  it.each([
    ['empty', ''],
    ['text', 'nonsense'],
    ['no id', `${now}.`],
    ['no time', '.abc'],
    ['a time that is no number', 'x1.abc'],
    ['a negative time', '-1.abc'],
    ['a time before the calendar', '-8640000000000000.abc'],
    ['a time past the calendar', '99999999999999999999.abc'],
    ['a broken time', '1.5'.padStart(20, '1')],
    ['an id that is too long', `${now}.${'x'.repeat(401)}`],
    ['an id with NUL', `${now}.a\0b`],
    ['base64 of a pair', encode([-8.64e15, 'abc'])],
    ['base64 of an object', encode({ at: now, id: 'abc' })],
    ['too long', 'x'.repeat(501)],
  ])('400 names start: %s', async (_name, start) => {
    await createTogether(3);
    const answers = [
      await vault.request('GET', `/v2/tokens?start=${encodeURIComponent(start)}`, { key: tenant.keys.private }),
      await vault.request('POST', '/v2/tokens/search', { key: tenant.keys.private, body: { start } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(['start']);
    }
  });

  it.each([7, true, [], {}])('400 names start: %j in a search', async (start) => {
    const answer = await vault.request('POST', '/v2/tokens/search', { key: tenant.keys.private, body: { start } });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain('start');
  });

  it('400 names start when it holds half of a surrogate pair', async () => {
    const rawBody = `{"start":"${now}.a\\ud800b"}`;
    const answer = await vault.request('POST', '/v2/tokens/search', { key: tenant.keys.private, rawBody });
    expect(fieldsOf(answer)).toEqual(['start']);
  });

  it('200 opens nothing: it leads through what the key may see', async () => {
    await createTogether(3);
    const other = await vault.makeTenant();
    const { pagination } = await listPage(undefined, 1);
    const answer = await vault.request('GET', `/v2/tokens?start=${encodeURIComponent(pagination.next ?? '')}`, {
      key: other.keys.reveal,
    });
    expect(answer.body).toEqual({ pagination: { page_size: 20 }, data: [] });
    expect(await listPage('0.abc', 10)).toMatchObject({ data: [] });
    expect((await listPage('999999999999999.abc', 10)).data).toHaveLength(3);
  });
});
