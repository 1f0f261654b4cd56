import type { SearchQuery } from './search-query.ts';

/**
 * Returns how many alternative values a query tries: ids, data, fingerprints and metadata. A list of a hundred ids
 * counts as a hundred guesses, whether or not one of them is right. Values below a NOT are not counted, because the
 * number of matches says nothing about them.
 */
export function countValuesAsked(query: SearchQuery): number {
  switch (query.kind) {
    case 'or':
      return query.operands.reduce((sum, operand) => sum + countValuesAsked(operand), 0);
    case 'and':
      return Math.max(...query.operands.map(countValuesAsked));
    case 'term':
      return query.field === 'id' || query.field === 'fingerprint' ? 1 : 0;
    case 'data':
    case 'metadata':
      return 1;
    case 'not':
    case 'range':
    case 'first-rule':
    case 'container':
      return 0;
  }
}
