import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import type { SearchQuery, TokenRule } from '../search/search-query.ts';
import { type AccessRule, transforms } from '../access/access-rule.ts';
import { type AccessTarget, decideAccess, toRules } from '../access/decide-access.ts';
import { both, toVisibility, type Visibility, withinSight } from './visible-query.ts';

const paths = ['/', '/a/', '/a/b/', '/c/'];
const anyRule: fc.Arbitrary<AccessRule> = fc.record({
  description: fc.constant(''),
  priority: fc.nat(100),
  container: fc.constantFrom(...paths),
  transform: fc.constantFrom(...transforms),
  permissions: fc.constant(['token:search'] as const),
});
const anyRules = fc.array(anyRule, { maxLength: 4 }).map((rules) => toRules([], rules));
const anyTarget = fc.record({
  id: fc.constantFrom('x', 'y'),
  containers: fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 3 }),
});
const anyQuery = fc.letrec<{ query: SearchQuery }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<SearchQuery>(
      { kind: 'data', value: new Sensitive('v') },
      { kind: 'term', field: 'fingerprint', value: 'v' },
      { kind: 'term', field: 'id', value: 'x' },
      { kind: 'container', path: '/a/', isSubtree: true },
    ),
    tie('query').map((operand): SearchQuery => ({ kind: 'not', operand })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), tie('query'), tie('query'))
      .map(([kind, ...operands]): SearchQuery => ({ kind, operands })),
  ),
})).query;

/** Evaluates a query for one token. `hasValue` says whether its content has the requested value. */
function matches(query: Visibility, token: AccessTarget, hasValue: boolean): boolean {
  if (typeof query === 'string') return query === 'all';
  switch (query.kind) {
    case 'term':
      return query.field === 'id' ? token.id === query.value : hasValue;
    case 'data':
      return hasValue;
    case 'container':
      return token.containers.some((path) => path.startsWith(query.path));
    case 'not':
      return !matches(query.operand, token, hasValue);
    case 'and':
      return query.operands.every((operand) => matches(operand, token, hasValue));
    case 'or':
      return query.operands.some((operand) => matches(operand, token, hasValue));
    case 'first-rule': {
      const covers = ({ conditions }: TokenRule) =>
        conditions.every((one) => one.kind === 'container' && matches(one, token, hasValue));
      return query.rules.find(covers)?.isMatch ?? false;
    }
    case 'metadata':
    case 'range':
      throw new Error('Not asked here.');
  }
}

describe('withinSight, for any query', () => {
  it('lets content decide exactly where the deciding rules show more than nothing', () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.option(anyRules, { nil: undefined }),
        anyQuery,
        anyTarget,
        (rules, limit, query, token) => {
          const grants = { rules, ...(limit === undefined ? {} : { limit }) };
          const decision = decideAccess(grants, 'token:search', token);
          const asked = both(
            withinSight(query, grants, 'token:search', { data: 'mask', fingerprint: 'mask' }),
            toVisibility(grants, 'token:search'),
          );
          const [found, missed] = [matches(asked, token, true), matches(asked, token, false)];
          if (!decision.isAllowed) expect([found, missed]).toEqual([false, false]);
          else if (decision.transform === 'redact') expect(found).toBe(missed);
          else expect([found, missed]).toEqual([matches(query, token, true), matches(query, token, false)]);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});
