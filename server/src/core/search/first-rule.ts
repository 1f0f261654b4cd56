import type { ContainerQuery, FirstRuleQuery, SearchQuery, TokenCondition } from './search-query.ts';

/** How much of a group of tokens matches. `some` means that each token must be checked. */
export type GroupMatch = 'all' | 'none' | 'some';

/** Matches a group of tokens with the same containers and arbitrary ids. */
export function matchContainers({ rules }: FirstRuleQuery, containers: readonly string[]): GroupMatch {
  const outcomes = new Set<boolean>();
  for (const { conditions, isMatch } of rules) {
    const met = conditions.map((condition) => meets(condition, containers));
    if (met.includes('none')) continue;
    outcomes.add(isMatch);
    // At this point, every token of the group has been decided.
    if (!met.includes('some')) return toMatch(outcomes);
  }
  return toMatch(outcomes.add(false));
}

/** Returns true if the rules depend only on containers, so that ids do not matter. */
export function isAboutContainers({ rules }: FirstRuleQuery): boolean {
  return rules.every(({ conditions }) => conditions.every(({ kind }) => kind === 'container'));
}

/** Returns true if one of the containers is the requested one or, for a subtree, lies in it. */
export function isAnyIn({ path, isSubtree }: ContainerQuery, containers: readonly string[]): boolean {
  return containers.some((one) => (isSubtree ? one.startsWith(path) : one === path));
}

function meets(condition: TokenCondition, containers: readonly string[]): GroupMatch {
  if (condition.kind !== 'container') return 'some';
  return isAnyIn(condition, containers) ? 'all' : 'none';
}

function toMatch(outcomes: ReadonlySet<boolean>): GroupMatch {
  if (outcomes.size > 1) return 'some';
  return outcomes.has(true) ? 'all' : 'none';
}

/**
 * Returns the maximum number of rule conditions that a token is compared with. Rules that several terms share count
 * once for each term.
 */
export function countComparisons(query: SearchQuery): number {
  switch (query.kind) {
    case 'first-rule':
      return query.rules.reduce((sum, { conditions }) => sum + Math.max(1, conditions.length), 0);
    case 'not':
      return countComparisons(query.operand);
    case 'and':
    case 'or':
      return query.operands.reduce((sum, operand) => sum + countComparisons(operand), 0);
    case 'term':
    case 'data':
    case 'metadata':
    case 'container':
    case 'range':
      return 0;
  }
}
