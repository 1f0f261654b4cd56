import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import { DomainError } from '../errors/domain-error.ts';
import { parseSearchQuery } from './parse-search-query.ts';
import type { SearchQuery } from './search-query.ts';

describe('any text', () => {
  it('either parses or fails validation of the query', () => {
    const operators = ['(', ')', '[', ']', '{', '}', '"', '\\', ' TO ', ' AND ', ' OR ', 'NOT ', '!', '-', '&&', '||'];
    const fields = ['id:', 'created_at:', 'metadata.k:', 'container:'];
    const values = ['a', 'é', '/', '*', '?', ' ', '\0', '2024-01-01', 'T10:00Z'];
    const fragments = fc.constantFrom(...operators, ...fields, ...values);
    const queryLike = fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), queryLike), (text) => {
        try {
          parseSearchQuery(text);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
          expect(error).toMatchObject({ code: 'validation-failed', fields: { query: [expect.any(String)] } });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a printed query', () => {
  it('parses back into itself', () => {
    fc.assert(
      fc.property(query, (original) => {
        const text = print(original);
        fc.pre(text.length <= 200);
        expect(parseSearchQuery(text)).toEqual(original);
      }),
      { numRuns: 1_000 },
    );
  });
});

const words = fc.string({ maxLength: 12 }).filter((text) => !text.includes('\0'));
const instant = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});
const { query } = fc.letrec<{ query: SearchQuery; leaf: SearchQuery; combined: SearchQuery; not: SearchQuery }>(
  (tie) => ({
    query: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('combined'), tie('not')),
    leaf: fc.oneof(
      fc.record({
        kind: fc.constant('term' as const),
        field: fc.constantFrom('id', 'type', 'fingerprint', 'created_by', 'modified_by'),
        value: words,
      }),
      fc.record({ kind: fc.constant('data' as const), value: words.map((word) => new Sensitive(word)) }),
      fc.record({
        kind: fc.constant('metadata' as const),
        key: words.filter((key) => key !== ''),
        value: words.map((value) => value.toLowerCase()),
      }),
      fc.record({
        kind: fc.constant('container' as const),
        path: fc
          .array(fc.stringMatching(/^[a-z0-9_-]{1,4}$/), { maxLength: 3 })
          .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`),
        isSubtree: fc.boolean(),
      }),
      fc.record(
        {
          kind: fc.constant('range' as const),
          field: fc.constantFrom('created_at', 'modified_at'),
          from: instant,
          before: instant,
        },
        { requiredKeys: ['kind', 'field'] },
      ),
    ),
    combined: fc.record({
      kind: fc.constantFrom('and', 'or'),
      operands: fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
    }),
    not: fc.record({ kind: fc.constant('not' as const), operand: tie('query') }),
  }),
);

function print(query: SearchQuery): string {
  if (query.kind === 'term') return `${query.field}:${quote(query.value)}`;
  if (query.kind === 'data') return `data:${quote(query.value.reveal())}`;
  if (query.kind === 'metadata') return `metadata.${escapeKey(query.key)}:${quote(query.value)}`;
  if (query.kind === 'container') return `container:${quote(query.path + (query.isSubtree ? '*' : ''))}`;
  if (query.kind === 'not') return `NOT (${print(query.operand)})`;
  if (query.kind === 'range') {
    return `${query.field}:[${query.from?.toISOString() ?? '*'} TO ${query.before?.toISOString() ?? '*'}}`;
  }
  if (query.kind === 'first-rule') throw new Error('The query language has no word for rules.');
  return query.operands.map((operand) => `(${print(operand)})`).join(query.kind === 'and' ? ' AND ' : ' || ');
}

function escapeKey(key: string): string {
  return key.replaceAll(/[\\\s():"]/g, '\\$&');
}

function quote(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;
}
