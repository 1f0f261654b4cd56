import type { SearchQuery } from '../search/search-query.ts';
import { type AccessCondition, type AccessRule, type Grants, type Transform, transforms } from './access-rule.ts';
import { rootContainer } from './container.ts';
import type { Permission } from './permission.ts';

/** `all` and `nothing` are queries too; a list that may see all needs no condition. */
export type Visibility = 'all' | 'nothing' | SearchQuery;

/**
 * What a caller may see under a permission, as a query that lists and searches add to the requested one. It gives the
 * same result as `decideAccess` for a single token.
 */
export function toVisibility({ rules, limit }: Grants, permission: Permission): Visibility {
  return both(anyRule(rules, permission), limit === undefined ? 'all' : anyRule(limit, permission));
}

/** The least transform under which a token can be searched by its content; undefined if it cannot be. */
export interface ContentSight {
  readonly data: Transform | undefined;
  readonly fingerprint: Transform | undefined;
}

/**
 * The query as allowed under a permission: a term about content finds only tokens whose content the caller
 * may see. Other tokens reveal nothing, not even by being left out.
 */
export function withinSight(
  query: SearchQuery,
  grants: Grants,
  permission: Permission,
  least: ContentSight,
): Visibility {
  switch (query.kind) {
    case 'term':
      return query.field === 'fingerprint' ? both(query, toSight(grants, permission, least.fingerprint)) : query;
    case 'data':
      return both(query, toSight(grants, permission, least.data));
    case 'not':
      return inverse(withinSight(query.operand, grants, permission, least));
    case 'and':
      return query.operands.map((operand) => withinSight(operand, grants, permission, least)).reduce(both);
    case 'or':
      return query.operands.map((operand) => withinSight(operand, grants, permission, least)).reduce(either);
    case 'metadata':
    case 'container':
    case 'range':
    case 'id-prefix':
      return query;
  }
}

/** Which of the tokens that a caller may see are shown through at least this transform. */
function toSight({ rules, limit }: Grants, permission: Permission, least: Transform | undefined): Visibility {
  if (least === undefined) return 'nothing';
  return both(
    shownThrough(rules, permission, least),
    limit === undefined ? 'all' : shownThrough(limit, permission, least),
  );
}

/** The first rule that covers a token decides, so the condition is built from the last rule backwards. */
function shownThrough(rules: readonly AccessRule[], permission: Permission, least: Transform): Visibility {
  const isEnough = ({ transform }: AccessRule) => transforms.indexOf(transform) >= transforms.indexOf(least);
  const granting = rules.filter((rule) => rule.permissions.includes(permission));
  // `toVisibility` already leaves out tokens that no rule covers.
  if (granting.every(isEnough)) return 'all';
  return granting.reduceRight<Visibility>(
    (later, rule) => (isEnough(rule) ? either(coveredBy(rule), later) : both(inverse(coveredBy(rule)), later)),
    'nothing',
  );
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

function either(a: Visibility, b: Visibility): Visibility {
  if (a === 'all' || b === 'all') return 'all';
  if (a === 'nothing') return b;
  if (b === 'nothing') return a;
  return { kind: 'or', operands: [a, b] };
}

function inverse(visibility: Visibility): Visibility {
  if (visibility === 'all') return 'nothing';
  if (visibility === 'nothing') return 'all';
  return { kind: 'not', operand: visibility };
}

function combine(kind: 'and' | 'or', operands: readonly SearchQuery[]): SearchQuery | undefined {
  return operands.length <= 1 ? operands[0] : { kind, operands };
}
