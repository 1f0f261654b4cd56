import type { SearchQuery } from './search-query.ts';

/** Returns the query with every container also matching its children, as the v2 routes do. */
export function includeChildren(query: SearchQuery): SearchQuery {
  switch (query.kind) {
    case 'container':
      return { ...query, isSubtree: true };
    case 'not':
      return { kind: 'not', operand: includeChildren(query.operand) };
    case 'and':
    case 'or':
      return { kind: query.kind, operands: query.operands.map(includeChildren) };
    case 'term':
    case 'data':
    case 'metadata':
    case 'range':
    case 'first-rule':
      return query;
  }
}
