import type { SearchQuery } from './search-query.ts';

/**
 * How many values a query tries: ids, data, fingerprints and metadata of which one is enough. A list of a hundred ids is a
 * hundred guesses, whether or not one of them is right. What must not be there is not counted: the total does not tell.
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
