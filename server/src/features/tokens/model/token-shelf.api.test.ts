import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SentStatement, StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { followPages, idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

const shelfCount = 80;
const tokensPerShelf = 3;

interface Placed {
  readonly id: string;
  readonly containers: readonly string[];
  readonly shelf: number;
}

let vault: TestVault;
let tap: StatementTap;
let tenant: TestTenant;
/** Three tokens on each of 80 shelves, newest first. */
let placed: Placed[];

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const rounds: Placed[][] = [];
  for (let round = 0; round < tokensPerShelf; round += 1) {
    const wanted = Array.from({ length: shelfCount }, (_, shelf) => ({
      id: `r${round}-s${String(shelf).padStart(2, '0')}`,
      containers: shelf % 2 === 0 ? [`/s/${shelf}/`] : [`/s/${shelf}/`, '/odd/'],
      shelf,
    }));
    const body = wanted.map(({ id, containers, shelf }) => ({
      id,
      containers,
      type: 'token',
      data: shelf,
      metadata: { round: String(round), shelf: String(shelf) },
      search_indexes: ['{{ data }}'],
    }));
    expect((await vault.request('POST', '/tokenize', { key: tenant.keys.private, body })).status).toBe(200);
    rounds.unshift(wanted.toReversed());
  }
  placed = rounds.flat();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

async function makeKey(...containers: readonly string[]): Promise<string> {
  const permissions = ['token:read', 'token:search'];
  const rules = containers.map((container, index) => ({
    description: '',
    priority: index + 1,
    container,
    transform: 'mask',
    permissions,
  }));
  return (await createApplication(vault, tenant, { permissions: [], rules })).key;
}

/** Reads all pages of both list kinds, which must agree. Returns the ids in order. */
async function listAll(key: string, query = ''): Promise<string[]> {
  const size = 50;
  const cursorPages = await followPages(
    async (start) => pageOf(await vault.request('POST', '/v2/tokens/search', { key, body: { query, start, size } })),
    10,
  );
  const pages = await Promise.all(
    cursorPages.map(async (_, index) =>
      pageOf(await vault.request('POST', '/tokens/search', { key, body: { query, size, page: index + 1 } })),
    ),
  );
  const ids = cursorPages.flatMap(idsOf);
  expect(pages.flatMap(idsOf)).toEqual(ids);
  for (const { pagination } of pages) expect(pagination.total_items).toBe(ids.length);
  return ids;
}

/** Returns the statements that a search sends, except those that read the shelves. */
async function statementsOf(query: string, key: string): Promise<SentStatement[]> {
  const sent = await tap.during(
    async () => pageOf(await vault.request('POST', '/tokens/search', { key, body: { query } })),
    'tokens t',
  );
  return sent.filter(({ text }) => !/\b(token_sets|token_counts|token_totals)\b/.test(text));
}

const idsWhere = (isWanted: (token: Placed) => boolean) => placed.filter(isWanted).map(({ id }) => id);

describe('lists over many shelves', () => {
  it('show all 80 shelves to who may see everything', async () => {
    expect(await listAll(tenant.keys.private)).toEqual(placed.map(({ id }) => id));
  });

  it('show 40 shelves to a key that may see those', async () => {
    expect(await listAll(await makeKey('/odd/'))).toEqual(idsWhere(({ shelf }) => shelf % 2 === 1));
  });

  it('show more than 64 shelves to a key that may see those, and no other', async () => {
    // The number of rules is small enough that the search is not charged to the tenant, which may have used up its
    // share on a slow machine.
    const seen = Array.from({ length: 52 }, (_, shelf) => shelf);
    const key = await makeKey(...seen.filter((shelf) => shelf % 2 === 0).map((shelf) => `/s/${shelf}/`), '/odd/');
    const isSeen = ({ shelf }: Placed) => shelf % 2 === 1 || shelf < 52;
    expect(new Set(placed.filter(isSeen).map(({ shelf }) => shelf)).size).toBe(66);
    expect(await listAll(key)).toEqual(idsWhere(isSeen));
    expect(await listAll(key, 'type:token')).toEqual(idsWhere(isSeen));
    expect(await listAll(key, 'NOT container:"/s/7/"')).toEqual(
      idsWhere((token) => isSeen(token) && token.shelf !== 7),
    );
    expect(await listAll(key, 'metadata.round:1')).toEqual(
      idsWhere((token) => isSeen(token) && token.id.startsWith('r1')),
    );
    expect(await listAll(key, 'NOT metadata.round:1')).toEqual(
      idsWhere((token) => isSeen(token) && !token.id.startsWith('r1')),
    );
    expect(await listAll(key, 'data:71 OR data:72 OR id:r0-s74')).toEqual(idsWhere(({ shelf }) => shelf === 71));
  });

  it('find by container over all of them', async () => {
    const key = tenant.keys.private;
    expect(await listAll(key, 'container:"/s/*"')).toEqual(placed.map(({ id }) => id));
    expect(await listAll(key, 'NOT container:"/s/1/"')).toEqual(idsWhere(({ shelf }) => shelf !== 1));
    expect(await listAll(key, 'container:"/odd/"')).toEqual(idsWhere(({ shelf }) => shelf % 2 === 1));
    expect(await listAll(key, 'container:"/s/7/"')).toEqual(idsWhere(({ shelf }) => shelf === 7));
  });
});

/** Returns a name for the source from which a statement reads tokens. */
function wayOf({ name, text }: SentStatement): string {
  if (name?.startsWith('token-count-') === true) return name;
  const source = text.includes('select distinct id') ? 'several' : text.includes('as candidate') ? 'term' : 'tokens';
  const way = text.includes('cross join lateral') ? 'each shelf' : source;
  // The visibility of a limited key is a list of shelves. If there are many, or if they do not decide the query, it is
  // a condition on shelves.
  const isFiltered = text.includes('strpos(t.shelf');
  return `${text.startsWith('select count(*)') ? 'count ' : ''}${way}${isFiltered ? ' on shelves' : ''}`;
}

describe('a search looks', () => {
  const ways = async (query: string, key = tenant.keys.private) =>
    (await statementsOf(query, key)).map(wayOf).toSorted();

  it('at the shelves only, and counts no row, where they decide', async () => {
    const limited = await makeKey('/odd/');
    const most = await makeKey('/odd/', ...Array.from({ length: 30 }, (_, index) => `/s/${2 * index}/`));
    expect(await ways('')).toEqual(['tokens']);
    expect(await ways('', limited)).toEqual(['each shelf']);
    expect(await ways('', most)).toEqual(['each shelf']);
    expect(await ways('container:"/s/7/" AND NOT type:card')).toEqual(['each shelf']);
    expect(await ways('container:"/odd/" OR type:card', limited)).toEqual(['each shelf']);
    expect(await ways('type:card')).toEqual([]);
    expect(await ways('type:card AND data:7')).toEqual([]);
    expect(await ways('container:"/none/*"', limited)).toEqual([]);
  });

  it('under one term, and counts there', async () => {
    expect(await ways('data:7')).toEqual(['term', 'token-count-term']);
    expect(await ways('metadata.round:1')).toEqual(['term', 'token-count-term']);
    expect(await ways('data:7', await makeKey('/odd/'))).toEqual(['count term on shelves', 'term on shelves']);
    expect(await ways('data:7 AND metadata.round:1')).toEqual(['count term', 'term']);
    expect(await ways('data:7 AND NOT type:card')).toEqual(['count term', 'term']);
  });

  it('at several places, and takes each token once', async () => {
    const queries = [
      'data:7 OR data:8',
      'id:r1-s07 OR data:7',
      'id:r1-s07 AND data:7',
      'fingerprint:x OR metadata.round:1',
      'id:r1-s07',
    ];
    for (const query of queries) expect(await ways(query)).toEqual(['count several', 'several']);
    expect(await ways('id:r1-s07', await makeKey('/odd/'))).toEqual(['count several on shelves', 'several on shelves']);
    expect(await listAll(tenant.keys.private, 'data:7 OR metadata.shelf:7 OR id:r1-s07')).toEqual(
      idsWhere(({ shelf }) => shelf === 7),
    );
  });

  it('at every token where nothing narrows it down', async () => {
    const queries = ['NOT data:7', 'created_at:[* TO *]', 'data:7 OR type:card OR NOT id:x', 'NOT (id:a AND data:7)'];
    for (const query of queries) expect(await ways(query)).toEqual(['count tokens', 'tokens']);
    expect(await ways('NOT data:7', await makeKey('/odd/'))).toEqual(['count tokens on shelves', 'tokens on shelves']);
  });
});

describe('beyond 2,000 shelves', () => {
  beforeAll(async () => {
    await vault.database.owner.query(
      `insert into token_counts (tenant_id, type, containers, slot, tokens)
        select $1, 'token', array['/s/0/empty/' || i || '/'], 64, 0 from generate_series(1, 2000) as i`,
      [tenant.id],
    );
  });

  it('lists show the same, by one scan over all tokens', async () => {
    const key = await makeKey('/odd/', '/s/0/');
    expect((await statementsOf('', key)).map(wayOf)).toEqual(['tokens on shelves']);
    expect(await listAll(key)).toEqual(idsWhere(({ shelf }) => shelf % 2 === 1 || shelf === 0));
  });

  it('the shelves are still looked at one by one by a key that sees few of them', async () => {
    const key = await makeKey('/odd/');
    expect((await statementsOf('', key)).map(wayOf)).toEqual(['each shelf']);
    expect(await listAll(key)).toEqual(idsWhere(({ shelf }) => shelf % 2 === 1));
  });
});
