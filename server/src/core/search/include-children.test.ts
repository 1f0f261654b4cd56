import { describe, expect, it } from 'vitest';
import { includeChildren } from './include-children.ts';
import { parseSearchQuery } from './parse-search-query.ts';

describe('includeChildren', () => {
  it.each([
    ['container:"/pci/"', 'container:"/pci/*"'],
    ['container:"/pci/*"', 'container:"/pci/*"'],
    ['NOT container:"/pci/"', 'NOT container:"/pci/*"'],
    [
      '(container:"/a/" OR container:"/b/") AND NOT container:"/a/c/"',
      '(container:"/a/*" OR container:"/b/*") AND NOT container:"/a/c/*"',
    ],
    ['type:card AND metadata.a:"/pci/"', 'type:card AND metadata.a:"/pci/"'],
  ])('%s means %s', (query, meant) => {
    expect(includeChildren(parseSearchQuery(query))).toEqual(parseSearchQuery(meant));
  });
});
