import { describe, expect, it } from 'vitest';
import { parseSearchQuery } from './parse-search-query.ts';
import { countValuesAsked } from './values-asked.ts';

describe('countValuesAsked', () => {
  it.each([
    ['type:card', 0],
    ['data:a', 1],
    ['data:a OR data:b OR fingerprint:c', 3],
    ['type:card AND (id:a OR id:b)', 2],
    ['(id:a OR id:b) AND (data:c OR metadata.d:e OR data:f)', 3],
    ['container:/pci/* AND NOT data:a', 0],
  ])('of %s is %i', (text, count) => {
    expect(countValuesAsked(parseSearchQuery(text))).toBe(count);
  });
});
