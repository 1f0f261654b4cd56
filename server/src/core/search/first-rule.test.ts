import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import { countComparisons } from './first-rule.ts';
import type { FirstRuleQuery, SearchQuery } from './search-query.ts';

const rules: FirstRuleQuery = {
  kind: 'first-rule',
  rules: [
    {
      conditions: [
        { kind: 'container', path: '/a/', isSubtree: true },
        { kind: 'id', id: 'x' },
      ],
      isMatch: false,
    },
    { conditions: [], isMatch: true },
  ],
};
const value: SearchQuery = { kind: 'data', value: new Sensitive('v') };

describe('countComparisons', () => {
  it.each<[string, SearchQuery, number]>([
    ['a value', value, 0],
    ['rules, of which one without conditions is one', rules, 3],
    ['rules beside a value', { kind: 'and', operands: [value, rules] }, 3],
    ['rules that two terms share', { kind: 'or', operands: [rules, { kind: 'not', operand: rules }] }, 6],
  ])('counts %s', (_name, query, count) => {
    expect(countComparisons(query)).toBe(count);
  });
});
