import type { SearchQuery } from '../search/search-query.ts';
import type { AccessCondition, AccessRule, Grants } from './access-rule.ts';
import { rootContainer } from './container.ts';
import type { Permission } from './permission.ts';

/** `all` and `nothing` are queries too; a list that may see all needs no condition. */
export type Visibility = 'all' | 'nothing' | SearchQuery;

/**
 * What a caller may see under a permission, as a query: lists and searches add it to what is asked for. It says the
 * same as `decideAccess` does for a single token.
 */
export function toVisibility({ rules, limit }: Grants, permission: Permission): Visibility {
  return both(anyRule(rules, permission), limit === undefined ? 'all' : anyRule(limit, permission));
}

function anyRule(rules: readonly AccessRule[], permission: Permission): Visibility {
  const covered = rules.filter((rule) => rule.permissions.includes(permission)).map(coveredBy);
  if (covered.includes('all')) return 'all';
  const queries = covered.filter((visibility) => typeof visibility !== 'string');
  return combine('or', queries) ?? 'nothing';
}

function coveredBy({ container, conditions = [] }: AccessRule): Visibility {
  if (container === rootContainer) return 'all';
  if (container !== undefined) return { kind: 'container', path: container, isSubtree: true };
  return combine('and', conditions.map(toQuery)) ?? 'nothing';
}

function toQuery({ attribute, operator, value }: AccessCondition): SearchQuery {
  if (attribute === 'container') return { kind: 'container', path: value, isSubtree: operator === 'starts_with' };
  return operator === 'equals' ? { kind: 'term', field: 'id', value } : { kind: 'id-prefix', prefix: value };
}

export function both(a: Visibility, b: Visibility): Visibility {
  if (a === 'all') return b;
  if (b === 'all') return a;
  if (a === 'nothing' || b === 'nothing') return 'nothing';
  return { kind: 'and', operands: [a, b] };
}

function combine(kind: 'and' | 'or', operands: readonly SearchQuery[]): SearchQuery | undefined {
  return operands.length <= 1 ? operands[0] : { kind, operands };
}
