import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryPlan } from '../../../../test/harness/query-plan.ts';
import { type SentStatement, StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { pageOf } from '../../../../test/harness/token-answers.ts';

const tokenCount = 20_000;
const batch = 1_000;

let vault: TestVault;
let tap: StatementTap;
let tenant: TestTenant;
/** A key that sees half of the tokens. */
let limitedKey: string;
let someFingerprint: string;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (let start = 0; start < tokenCount; start += batch) {
    const body = Array.from({ length: batch }, (_, index) => toRequest(start + index));
    const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
    someFingerprint = (answer.body as { fingerprint: string }[])[0]?.fingerprint ?? '';
  }
  const rules = [
    {
      description: '',
      priority: 1,
      container: '/even/',
      transform: 'mask',
      permissions: ['token:read', 'token:search'],
    },
  ];
  limitedKey = (await createApplication(vault, tenant, { permissions: [], rules })).key;
  await vault.database.owner.query('analyze');
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

function toRequest(index: number) {
  return {
    id: `id-${index}`,
    type: 'token',
    data: `value ${index}`,
    containers: [index % 2 === 0 ? '/even/' : '/odd/'],
    metadata: { group: String(index % 200), rare: index % 5_000 === 0 ? 'yes' : 'no' },
    search_indexes: ['{{ data }}'],
    ...(index % 10 === 0 ? { expires_at: '2099-01-01' } : {}),
  };
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly isLimited?: boolean;
}

/** Returns the statements that a request sends to the token and audit tables. */
async function statementsOf({ method, path, body, isLimited }: Question): Promise<SentStatement[]> {
  const key = isLimited === true ? limitedKey : tenant.keys.private;
  const sent = await tap.during(
    async () =>
      expect((await vault.request(method, path, { key, ...(body === undefined ? {} : { body }) })).status).toBe(200),
    '',
  );
  const statements = sent.filter(({ text }) =>
    /\b(tokens|token_terms|token_counts|token_sets|token_totals|audit_records)\b/.test(text),
  );
  expect(statements.length).toBeGreaterThan(0);
  return statements;
}

/** Expects no full scan of the three tables that grow without limit. Small tables are cheaper to scan in full. */
async function expectNoScan(statement: SentStatement): Promise<void> {
  const { scannedTables } = await QueryPlan.explain(vault.database, tenant.id, statement);
  const grown = scannedTables.filter((table) => /^(tokens|token_terms|audit_records.*)$/.test(table));
  expect(grown, statement.text).toEqual([]);
}

const searches = (query: string): Question => ({ method: 'POST', path: '/tokens/search', body: { query } });

describe('with 20,000 tokens, no table is read from end to end', () => {
  it.each<[string, Question]>([
    ['a read', { method: 'GET', path: '/tokens/id-17' }],
    ['a detokenization', { method: 'POST', path: '/detokenize', body: { a: '{{ id-17 }} {{ id-18 }}' } }],
    ['page 1 of the list', { method: 'GET', path: '/tokens' }],
    ['page 500 of the list', { method: 'GET', path: '/tokens?page=500' }],
    ['page 1 of what a limited key sees', { method: 'GET', path: '/tokens', isLimited: true }],
    ['page 50 of what a limited key sees', { method: 'GET', path: '/tokens?page=50', isLimited: true }],
    ['a cursor', { method: 'GET', path: `/v2/tokens?start=${Date.now()}.x` }],
    ['a cursor of a limited key', { method: 'GET', path: `/v2/tokens?start=${Date.now()}.x`, isLimited: true }],
    ['the list by id', { method: 'GET', path: '/tokens?id=id-17&id=id-18' }],
    ['the list by type', { method: 'GET', path: '/tokens?type=token' }],
    ['the list by metadata', { method: 'GET', path: '/tokens?metadata.group=7' }],
    ['a late page of the list by metadata', { method: 'GET', path: '/tokens?metadata.group=7&page=5' }],
    ['the list by two pairs of metadata', { method: 'GET', path: '/tokens?metadata.group=0&metadata.rare=yes' }],
    ['a search by data', searches('data:"value 17"')],
    ['a search by data of a limited key', { ...searches('data:"value 17"'), isLimited: true }],
    [
      'a search by data, by cursor',
      { method: 'POST', path: '/v2/tokens/search', body: { query: 'data:"value 17"', start: `${Date.now()}.x` } },
    ],
    ['a search by data and metadata', searches('data:"value 17" AND metadata.group:17')],
    ['a search by one of several', searches('data:"value 17" OR data:"value 18" OR id:id-19')],
    ['a search by container', searches('container:"/even/*"')],
    [
      'a deduplicated create',
      { method: 'POST', path: '/tokens', body: { type: 'token', data: 'value 17', deduplicate_token: true } },
    ],
  ])('%s', async (_name, question) => {
    for (const statement of await statementsOf(question)) await expectNoScan(statement);
  });

  it('a search by fingerprint', async () => {
    const statements = await statementsOf(searches(`fingerprint:${someFingerprint}`));
    for (const statement of statements) await expectNoScan(statement);
    const plans = await Promise.all(
      statements.map((statement) => QueryPlan.explain(vault.database, tenant.id, statement)),
    );
    expect(plans.flatMap(({ indexes }) => indexes)).toContain('tokens_of_fingerprint');
  });

  it('whatever pages were read before: those whose plan is kept say how long they are, late ones have no name', async () => {
    const namesOf = async (path: string, isLimited: boolean) =>
      (await statementsOf({ method: 'GET', path, isLimited }))
        .filter(({ text }) => text.includes('limit 21'))
        .map(({ name }) => name);
    expect(await namesOf('/tokens', false)).toEqual(['token-newest-short-20']);
    expect(await namesOf('/tokens', true)).toEqual(['token-on-shelves-20']);
    expect(await namesOf('/tokens?metadata.group=7', false)).toEqual(['token-under-term-short-20']);
    expect(await namesOf('/tokens?metadata.group=7', true)).toEqual([undefined]);
    for (const isLimited of [false, true]) {
      expect(await namesOf('/tokens?page=400', isLimited)).toEqual([undefined]);
      expect(await namesOf('/tokens?metadata.group=7&page=2', isLimited)).toEqual([undefined]);
    }
  });
});

describe('the answers over 20,000 tokens', () => {
  it('are right at both ends and in the middle', async () => {
    const [first, middle, last] = await Promise.all(
      [1, 500, 1_000].map(async (page) =>
        pageOf(await vault.request('GET', `/tokens?page=${page}`, { key: tenant.keys.private })),
      ),
    );
    expect([first, middle, last].map((page) => page?.pagination.total_items)).toEqual([
      tokenCount,
      tokenCount,
      tokenCount,
    ]);
    expect([first, middle, last].map((page) => page?.data.length)).toEqual([20, 20, 20]);
    const limited = pageOf(await vault.request('GET', '/tokens?page=500', { key: limitedKey }));
    expect(limited.pagination).toMatchObject({ total_items: tokenCount / 2, total_pages: 500 });
    expect(limited.data).toHaveLength(20);
    const grouped = pageOf(await vault.request('GET', '/tokens?metadata.group=7&page=5', { key: tenant.keys.private }));
    expect(grouped.pagination).toMatchObject({ total_items: tokenCount / 200, total_pages: 5 });
    expect(grouped.data).toHaveLength(20);
    const found = pageOf(
      await vault.request('POST', '/tokens/search', {
        key: tenant.keys.private,
        body: { query: 'data:"value 19999"' },
      }),
    );
    expect(found).toMatchObject({ pagination: { total_items: 1 }, data: [{ id: 'id-19999' }] });
  });
});
