import type { SearchQuery } from './search-query.ts';

/**
 * Returns the distinct names of the fields that a query refers to, sorted. They include neither values nor metadata
 * keys.
 */
export function listFieldsAsked(query: SearchQuery): string[] {
  return [...new Set(fieldsOf(query))].sort();
}

function fieldsOf(query: SearchQuery): string[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.flatMap(fieldsOf);
    case 'not':
      return fieldsOf(query.operand);
    case 'term':
    case 'range':
      return [query.field];
    case 'first-rule':
      return [];
    case 'data':
    case 'metadata':
    case 'container':
      return [query.kind];
  }
}
