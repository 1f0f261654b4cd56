import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import type { SearchQuery, TokenCondition } from '../search/search-query.ts';
import {
  type AccessCondition,
  type AccessRule,
  conditionOperators,
  type Grants,
  transforms,
} from '../access/access-rule.ts';
import { isCovered } from '../access/container.ts';
import { decideAccess } from '../access/decide-access.ts';
import { both, toVisibility, type Visibility, withinSight } from './visible-query.ts';

interface Token {
  readonly id: string;
  readonly containers: readonly string[];
  readonly fingerprint: string;
}

/** Evaluates a query as the database would. */
function matches(query: Visibility, token: Token): boolean {
  if (typeof query === 'string') return query === 'all';
  switch (query.kind) {
    case 'term':
      return query.field === 'fingerprint' ? token.fingerprint === query.value : token.id === query.value;
    case 'container':
      return token.containers.some((path) => (query.isSubtree ? isCovered(path, query.path) : path === query.path));
    case 'first-rule':
      return query.rules.find(({ conditions }) => conditions.every((one) => meets(one, token)))?.isMatch ?? false;
    case 'not':
      return !matches(query.operand, token);
    case 'and':
      return query.operands.every((operand) => matches(operand, token));
    case 'or':
      return query.operands.some((operand) => matches(operand, token));
    case 'data':
    case 'metadata':
    case 'range':
      throw new Error('Not asked here.');
  }
}

function meets(condition: TokenCondition, { id, containers }: Token): boolean {
  if (condition.kind === 'id') return id === condition.id;
  if (condition.kind === 'id-prefix') return id.startsWith(condition.prefix);
  return containers.some((path) => (condition.isSubtree ? isCovered(path, condition.path) : path === condition.path));
}

const paths = ['/', '/a/', '/a/b/', '/b/'];
const anyCondition: fc.Arbitrary<AccessCondition> = fc.oneof(
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom(...conditionOperators),
    value: fc.constantFrom(...paths),
  }),
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constantFrom(...conditionOperators),
    value: fc.constantFrom('x', 'y'),
  }),
);
/** A rule scope: a container, conditions, or nothing at all. */
const anyScope = fc.oneof(
  { weight: 3, arbitrary: fc.record({ container: fc.constantFrom(...paths) }) },
  { weight: 2, arbitrary: fc.record({ conditions: fc.array(anyCondition, { maxLength: 3 }) }) },
);
const anyRules = fc
  .array(fc.tuple(anyScope, fc.constantFrom(...transforms)), { maxLength: 6 })
  .map((rules): AccessRule[] =>
    rules.map(([scope, transform], priority) => {
      return { ...scope, transform, priority, description: '', permissions: ['token:read'] };
    }),
  );
const anyGrants: fc.Arbitrary<Grants> = fc.oneof(
  fc.record({ rules: anyRules }),
  fc.record({ rules: anyRules, limit: anyRules }),
);
const anyToken = fc.record({
  id: fc.constantFrom('x', 'y'),
  containers: fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 2 }),
  fingerprint: fc.constantFrom('f', 'g'),
});
const print: SearchQuery = { kind: 'term', field: 'fingerprint', value: 'f' };
const otherPrint: SearchQuery = { kind: 'term', field: 'fingerprint', value: 'g' };
const name: SearchQuery = { kind: 'term', field: 'id', value: 'x' };
const anyQuery = fc.constantFrom<SearchQuery>(
  print,
  { kind: 'not', operand: print },
  { kind: 'and', operands: [print, name] },
  { kind: 'or', operands: [print, name] },
  { kind: 'or', operands: [print, otherPrint] },
  { kind: 'or', operands: [print, { kind: 'not', operand: otherPrint }, name, otherPrint] },
  { kind: 'not', operand: { kind: 'or', operands: [otherPrint, print] } },
  { kind: 'not', operand: { kind: 'or', operands: [{ kind: 'not', operand: print }, name] } },
);
const anyLeast = fc.constantFrom('redact' as const, 'mask' as const, 'reveal' as const, undefined);

describe('withinSight', () => {
  it('finds by a fingerprint what is shown with it, and the same by any other elsewhere', () => {
    fc.assert(
      fc.property(anyGrants, anyToken, anyQuery, anyLeast, (grants, token, query, least) => {
        const sight = { data: 'mask', fingerprint: least } as const;
        const asked = both(withinSight(query, grants, 'token:read', sight), toVisibility(grants, 'token:read'));
        const decision = decideAccess(grants, 'token:read', token);
        if (!decision.isAllowed) {
          expect(matches(asked, token)).toBe(false);
          return;
        }
        const isShown = least !== undefined && transforms.indexOf(decision.transform) >= transforms.indexOf(least);
        // A token whose fingerprint is hidden counts as one with a different fingerprint.
        const asSeen = isShown ? token : { ...token, fingerprint: 'hidden' };
        expect(matches(asked, token)).toBe(matches(query, asSeen));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, (index: number) => SearchQuery]>([
    ['fingerprints', (index) => ({ kind: 'term', field: 'fingerprint', value: `f${index}` })],
    ['values', (index) => ({ kind: 'data', value: new Sensitive(`v${index}`) })],
  ])('has the rules once for a hundred %s', (_name, toTerm) => {
    const rules = [
      { description: '', priority: 1, container: '/a/', transform: 'redact', permissions: ['token:read'] },
      { description: '', priority: 2, container: '/', transform: 'mask', permissions: ['token:read'] },
    ] as const;
    const query: SearchQuery = { kind: 'or', operands: Array.from({ length: 100 }, (_, index) => toTerm(index)) };
    const asked = withinSight(query, { rules }, 'token:read', { data: 'mask', fingerprint: 'mask' });
    expect(asked).toMatchObject({ kind: 'and', operands: [query, { kind: 'first-rule' }] });
  });

  it('leaves a query alone if everything is shown', () => {
    const grants = {
      rules: [{ description: '', priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }],
    } as const;
    expect(withinSight(print, grants, 'token:read', { data: 'mask', fingerprint: 'mask' })).toStrictEqual(print);
    expect(withinSight(print, grants, 'token:read', { data: 'mask', fingerprint: 'reveal' })).toBe('nothing');
  });
});
