import type { FirstRuleQuery, TokenCondition } from './search-query.ts';

/** Whether some tokens match: all of them, none, or some, which only a look at each can tell. */
export type GroupMatch = 'all' | 'none' | 'some';

/** Whether tokens match that lie in the same containers. Their ids are not known. */
export function matchContainers({ rules }: FirstRuleQuery, containers: readonly string[]): GroupMatch {
  const outcomes = new Set<boolean>();
  for (const { conditions, isMatch } of rules) {
    const met = conditions.map((condition) => meets(condition, containers));
    if (met.includes('none')) continue;
    outcomes.add(isMatch);
    // From here on, every token of the group was decided.
    if (!met.includes('some')) return toMatch(outcomes);
  }
  return toMatch(outcomes.add(false));
}

/** Whether containers alone decide. */
export function isAboutContainers({ rules }: FirstRuleQuery): boolean {
  return rules.every(({ conditions }) => conditions.every(({ kind }) => kind === 'container'));
}

function meets(condition: TokenCondition, containers: readonly string[]): GroupMatch {
  if (condition.kind !== 'container') return 'some';
  const { path, isSubtree } = condition;
  return containers.some((one) => (isSubtree ? one.startsWith(path) : one === path)) ? 'all' : 'none';
}

function toMatch(outcomes: ReadonlySet<boolean>): GroupMatch {
  if (outcomes.size > 1) return 'some';
  return outcomes.has(true) ? 'all' : 'none';
}
