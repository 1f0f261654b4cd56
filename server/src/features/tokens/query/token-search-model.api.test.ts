import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { type AnsweredToken, followPages, idsOf, pageOf } from '../../../../test/harness/token-answers.ts';
import { includeChildren } from '../../../core/search/include-children.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';

const seed = 7_331;
const tokenCount = 90;
const idAt = (index: number) => `t${100 + index}`;

/** A token in the model: what the vault shows of it, and its index values. */
interface ModelToken extends AnsweredToken {
  readonly indexes: readonly string[];
}
interface Viewer {
  readonly key: string;
  readonly sees: (token: ModelToken) => boolean;
}

let vault: TestVault;
let tenant: TestTenant;
/** The tokens of the model, newest first. */
let model: ModelToken[];
let viewers: Viewer[];

const containers = ['/', '/a/', '/a/b/', '/ab/', '/c/'] as const;
const wantedToken = fc.record({
  kind: fc.constantFrom('token', 'token', 'token', 'card_number', 'social_security_number'),
  containers: fc.uniqueArray(fc.constantFrom(...containers), { minLength: 1, maxLength: 3 }),
  metadata: fc.dictionary(fc.constantFrom('k', 'K', 'l'), fc.constantFrom('a', 'A', 'B', ''), { maxKeys: 2 }),
  indexes: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'X'), { maxLength: 3 }),
  value: fc.constantFrom('1', '2', '3'),
  creator: fc.nat({ max: 1 }),
  fate: fc.constantFrom('stays', 'stays', 'stays', 'edited', 'edited', 'deleted', 'expired'),
});

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const permissions = ['token:create', 'token:update', 'token:read', 'token:search'];
  const makers = [
    await createApplication(vault, tenant, { permissions }),
    await createApplication(vault, tenant, { permissions }),
  ];
  const wanted = fc.sample(wantedToken, { seed, numRuns: tokenCount });
  const indexes = new Map<string, readonly string[]>();

  // Five tokens share each creation time.
  for (let start = 0; start < wanted.length; start += 5) {
    const key = makers[wanted[start]?.creator ?? 0]?.key ?? '';
    const requests = wanted.slice(start, start + 5).map((token, index) => {
      const id = idAt(start + index);
      const { type, data, search_indexes, found } = toContents(token);
      indexes.set(id, found);
      return { id, type, data, search_indexes, containers: token.containers, metadata: token.metadata };
    });
    const answer = await vault.request('POST', '/tokenize', { key, body: requests });
    expect(answer.status).toBe(200);
  }
  for (const [index, { fate, creator }] of wanted.entries()) await meet(fate, idAt(index), makers[creator]?.key ?? '');

  const shown = await followPages(
    async (start) =>
      pageOf(
        await vault.request('GET', `/v2/tokens?size=100${start === undefined ? '' : `&start=${start}`}`, {
          key: tenant.keys.private,
        }),
      ),
    5,
  );
  model = shown.flatMap((page) => page.data).map((token) => ({ ...token, indexes: indexes.get(token.id) ?? [] }));
  viewers = [
    { key: tenant.keys.private, sees: () => true },
    await makeViewer(['/a/']),
    await makeViewer(['/a/b/', '/c/']),
    await makeViewer(['/none/']),
  ];
});
afterAll(() => vault.stop());

/** Returns the contents of a token. Generic tokens have their own indexes, and the others have those of their type. */
function toContents({ kind, value, indexes }: { kind: string; value: string; indexes: readonly string[] }) {
  if (kind === 'card_number') return { type: kind, data: '4242424242424242', search_indexes: undefined, found: [] };
  if (kind === 'token') return { type: kind, data: value, search_indexes: indexes, found: indexes };
  const digits = `12345000${value}`;
  return {
    type: kind,
    data: `123-45-000${value}`,
    search_indexes: undefined,
    found: [`123-45-000${value}`, digits, digits.slice(-4)],
  };
}

async function meet(fate: string, id: string, key: string): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  if (fate === 'edited')
    await vault.request('PATCH', `/tokens/${id}`, { key, headers, body: { metadata: { l: 'B' } } });
  if (fate === 'deleted') await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private });
  if (fate === 'expired') {
    await vault.database.owner.query(
      'update tokens set expires_at = now(), expires_at_offset_minutes = 0 where id = $1',
      [id],
    );
  }
}

async function makeViewer(places: readonly string[]): Promise<Viewer> {
  const rules = places.map((container, index) => ({
    description: '',
    priority: index + 1,
    container,
    transform: 'mask',
    permissions: ['token:search'],
  }));
  const { key } = await createApplication(vault, tenant, { permissions: [], rules });
  return { key, sees: (token) => token.containers.some((path) => places.some((place) => path.startsWith(place))) };
}

/** Evaluates a query in the simplest possible way. */
function matches(query: SearchQuery, token: ModelToken): boolean {
  switch (query.kind) {
    case 'and':
      return query.operands.every((operand) => matches(operand, token));
    case 'or':
      return query.operands.some((operand) => matches(operand, token));
    case 'not':
      return !matches(query.operand, token);
    case 'metadata':
      return Object.entries(token.metadata ?? {}).some(
        ([key, value]) => key.toLowerCase() === query.key.toLowerCase() && value.toLowerCase() === query.value,
      );
    case 'container':
      return token.containers.some((path) => (query.isSubtree ? path.startsWith(query.path) : path === query.path));
    case 'range': {
      const text = token[query.field];
      if (text === undefined) return false;
      const time = Date.parse(text);
      return (
        (query.from === undefined || time >= query.from.getTime()) &&
        (query.before === undefined || time < query.before.getTime())
      );
    }
    case 'first-rule':
      throw new Error('The query language has no word for rules.');
    case 'term':
      return token[query.field] === query.value;
    case 'data':
      return token.indexes.includes(query.value.reveal());
  }
}

function print(query: SearchQuery): string {
  switch (query.kind) {
    case 'term':
      return `${query.field}:"${query.value}"`;
    case 'data':
      return `data:"${query.value.reveal()}"`;
    case 'metadata':
      return `metadata.${query.key}:"${query.value}"`;
    case 'container':
      return `container:"${query.path}${query.isSubtree ? '*' : ''}"`;
    case 'range':
      return `${query.field}:[${query.from?.toISOString() ?? '*'} TO ${query.before?.toISOString() ?? '*'}}`;
    case 'not':
      return `!(${print(query.operand)})`;
    case 'first-rule':
      throw new Error('The query language has no word for rules.');
    case 'and':
    case 'or':
      return query.operands.map((operand) => `(${print(operand)})`).join(query.kind === 'and' ? '&&' : '||');
  }
}

/** Returns queries over values that the tokens have, and a few that none has. */
function makeQueries(): fc.Arbitrary<SearchQuery> {
  const some = <T>(values: readonly T[]) => fc.constantFrom(...new Set(values));
  const term = (
    field: 'id' | 'type' | 'fingerprint' | 'created_by' | 'modified_by',
    values: readonly (string | undefined)[],
  ) => some(values.filter((value) => value !== undefined)).map((value) => ({ kind: 'term', field, value }) as const);
  const instant = some(model.flatMap((token) => [token.created_at, token.modified_at ?? token.created_at])).map(
    (text) => new Date(text),
  );
  const leaf: fc.Arbitrary<SearchQuery> = fc.oneof(
    term('id', [...model.map(({ id }) => id), 'none']),
    term('type', [...model.map(({ type }) => type), 'bank']),
    some([...model.flatMap(({ indexes }) => indexes), '1', 'none']).map(
      (value) => ({ kind: 'data', value: new Sensitive(value) }) as const,
    ),
    term(
      'fingerprint',
      model.map(({ fingerprint }) => fingerprint),
    ),
    term(
      'created_by',
      model.map(({ created_by }) => created_by),
    ),
    term(
      'modified_by',
      model.map(({ modified_by }) => modified_by),
    ),
    fc.record({
      kind: fc.constant('metadata' as const),
      key: fc.constantFrom('k', 'l', 'K'),
      value: fc.constantFrom('a', 'b', '', 'c'),
    }),
    fc.record({ kind: fc.constant('container' as const), path: some([...containers, '/d/']), isSubtree: fc.boolean() }),
    fc.record(
      {
        kind: fc.constant('range' as const),
        field: fc.constantFrom('created_at', 'modified_at'),
        from: instant,
        before: instant,
      },
      { requiredKeys: ['kind', 'field'] },
    ),
  );
  return fc.letrec<{ query: SearchQuery; leaf: SearchQuery; combined: SearchQuery; not: SearchQuery }>((tie) => ({
    query: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('combined'), tie('combined'), tie('not')),
    leaf,
    combined: fc.record({
      kind: fc.constantFrom('and', 'or'),
      operands: fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
    }),
    not: fc.record({ kind: fc.constant('not' as const), operand: tie('query') }),
  })).query;
}

describe('any search', () => {
  it('finds what a plain evaluation finds: the same tokens, totals and pages', async () => {
    const queries = makeQueries().filter((query) => print(query).length <= 200);
    const sizes = fc.constantFrom(1, 3, 10, 100);
    let foundCount = 0;
    await fc.assert(
      fc.asyncProperty(
        queries,
        sizes,
        fc.nat(),
        fc.nat({ max: viewers.length - 1 }),
        async (query, size, anyPage, viewerIndex) => {
          const viewer = viewers[viewerIndex];
          if (viewer === undefined) throw new Error('There is no such viewer.');
          const text = print(query);
          const idsOfMatches = (asked: SearchQuery) =>
            model.filter((token) => viewer.sees(token) && matches(asked, token)).map(({ id }) => id);
          const expected = idsOfMatches(query);
          foundCount += expected.length;

          const pageCount = Math.ceil(expected.length / size);
          const page = 1 + (anyPage % (pageCount + 1));
          const offsetPage = pageOf(
            await vault.request('POST', '/tokens/search', { key: viewer.key, body: { query: text, page, size } }),
          );
          expect(idsOf(offsetPage)).toEqual(expected.slice((page - 1) * size, page * size));
          expect(offsetPage.pagination).toEqual({
            total_items: expected.length,
            total_pages: pageCount,
            page_number: page,
            page_size: size,
          });

          const expectedWithChildren = idsOfMatches(includeChildren(query));
          const cursorSize = Math.max(size, Math.ceil(expectedWithChildren.length / 4));
          const pages = await followPages(
            async (start) =>
              pageOf(
                await vault.request('POST', '/v2/tokens/search', {
                  key: viewer.key,
                  body: { query: text, start, size: cursorSize },
                }),
              ),
            Math.max(1, Math.ceil(expectedWithChildren.length / cursorSize)),
          );
          expect(pages.flatMap(idsOf)).toEqual(expectedWithChildren);
        },
      ),
      { seed, numRuns: 150 },
    );
    expect(foundCount).toBeGreaterThan(500);
  });

  it('is over a model that has everything in it', () => {
    expect(model.length).toBeGreaterThan(50);
    expect(model.length).toBeLessThan(tokenCount);
    expect(new Set(model.map((token) => token.type)).size).toBe(3);
    expect(new Set(model.map((token) => token.created_by)).size).toBe(2);
    expect(
      model.some((token) => token.modified_at === undefined) && model.some((token) => token.modified_at !== undefined),
    ).toBe(true);
    expect(new Set(model.map((token) => token.created_at)).size).toBeLessThan(model.length);
  });
});
