import type { SearchQuery, TokenCondition, TokenRule } from '../search/search-query.ts';
import {
  type AccessCondition,
  type AccessRule,
  type Grants,
  isMoreThan,
  type Transform,
} from '../access/access-rule.ts';
import { rootContainer } from '../access/container.ts';
import type { Permission } from '../access/permission.ts';

/**
 * The tokens that a caller may see. `all` and `nothing` are special cases of queries; a list that may show all tokens
 * needs no condition.
 */
export type Visibility = 'all' | 'nothing' | SearchQuery;

/**
 * Returns what a caller may see under a permission, as a query that lists and searches add to the requested one. For a
 * single token, it gives the same result as `decideAccess`.
 */
export function toVisibility({ rules, limit }: Grants, permission: Permission): Visibility {
  const isSeen = (some: readonly AccessRule[]) => toQuery(toTokenRules(some, permission, 'redact'));
  return both(isSeen(rules), limit === undefined ? 'all' : isSeen(limit));
}

/**
 * The least transform under which a token can be searched by its content; undefined if it cannot be searched that way.
 */
export interface ContentSight {
  readonly data: Transform | undefined;
  readonly fingerprint: Transform | undefined;
}

/**
 * Narrows a query to what a permission allows: a term about content finds only tokens whose content the caller may see.
 * Other tokens reveal nothing, not even by being omitted.
 */
export function withinSight(
  query: SearchQuery,
  grants: Grants,
  permission: Permission,
  least: ContentSight,
): Visibility {
  // These are computed once, and all terms share the same node.
  return narrow(query, {
    ofData: toSight(grants, permission, least.data),
    ofFingerprint: toSight(grants, permission, least.fingerprint),
  });
}

interface Sights {
  readonly ofData: Visibility;
  readonly ofFingerprint: Visibility;
}

function narrow(query: SearchQuery, sights: Sights): Visibility {
  switch (query.kind) {
    case 'term':
      return query.field === 'fingerprint' ? both(query, sights.ofFingerprint) : query;
    case 'data':
      return both(query, sights.ofData);
    case 'not':
      return inverse(narrow(query.operand, sights));
    case 'and':
      return query.operands.map((operand) => narrow(operand, sights)).reduce(both);
    case 'or':
      return narrowAny(query.operands, sights);
    case 'metadata':
    case 'container':
    case 'range':
    case 'first-rule':
      return query;
  }
}

/**
 * Joins terms with the same sight first. The rules are then added as one condition for all of these terms, instead of
 * one for each of up to a hundred.
 */
function narrowAny(operands: readonly SearchQuery[], sights: Sights): Visibility {
  const isFingerprint = (query: SearchQuery) => query.kind === 'term' && query.field === 'fingerprint';
  const isOther = (query: SearchQuery) => query.kind !== 'data' && !isFingerprint(query);
  return [
    both(toAny(operands.filter(({ kind }) => kind === 'data')), sights.ofData),
    both(toAny(operands.filter(isFingerprint)), sights.ofFingerprint),
    ...operands.filter(isOther).map((operand) => narrow(operand, sights)),
  ].reduce(either);
}

function toAny(operands: readonly SearchQuery[]): Visibility {
  const [first, ...others] = operands;
  if (first === undefined) return 'nothing';
  return others.length === 0 ? first : { kind: 'or', operands };
}

/** Returns which of the tokens that a caller may see are shown through at least this transform. */
function toSight({ rules, limit }: Grants, permission: Permission, least: Transform | undefined): Visibility {
  if (least === undefined) return 'nothing';
  const isShown = (some: readonly AccessRule[]) => {
    const granting = toTokenRules(some, permission, least);
    // `toVisibility` already excludes tokens that no rule covers.
    return granting.every(({ isMatch }) => isMatch) ? 'all' : toQuery(granting);
  };
  return both(isShown(rules), limit === undefined ? 'all' : isShown(limit));
}

/** Returns the rules that grant a permission. Rules that show at least `least` are matches. */
function toTokenRules(rules: readonly AccessRule[], permission: Permission, least: Transform): TokenRule[] {
  return rules
    .filter((rule) => rule.permissions.includes(permission))
    .flatMap((rule) => {
      const conditions = toConditions(rule);
      return conditions === undefined ? [] : [{ conditions, isMatch: !isMoreThan(least, rule.transform) }];
    });
}

function toQuery(rules: readonly TokenRule[]): Visibility {
  // Rules after one that covers everything have no effect, and neither do trailing rules that match nothing.
  const root = rules.findIndex(({ conditions }) => conditions.length === 0);
  const reached = root < 0 ? rules : rules.slice(0, root + 1);
  const deciding = reached.slice(0, reached.findLastIndex(({ isMatch }) => isMatch) + 1);
  const [first, ...others] = deciding;
  if (first === undefined) return 'nothing';
  if (root >= 0 && reached.every(({ isMatch }) => isMatch)) return 'all';
  const [condition, ...more] = first.conditions;
  const isOneContainer = others.length === 0 && more.length === 0 && condition?.kind === 'container';
  return isOneContainer ? condition : { kind: 'first-rule', rules: deciding };
}

/** Returns undefined for a rule with neither a container nor conditions, which covers nothing. */
function toConditions({ container, conditions = [] }: AccessRule): readonly TokenCondition[] | undefined {
  if (container === rootContainer) return [];
  if (container !== undefined) return [{ kind: 'container', path: container, isSubtree: true }];
  return conditions.length === 0 ? undefined : conditions.map(toCondition);
}

function toCondition({ attribute, operator, value }: AccessCondition): TokenCondition {
  if (attribute === 'container') return { kind: 'container', path: value, isSubtree: operator === 'starts_with' };
  return operator === 'equals' ? { kind: 'id', id: value } : { kind: 'id-prefix', prefix: value };
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
