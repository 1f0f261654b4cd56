import type { FirstRuleQuery, TokenCondition } from '../../../core/search/search-query.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';

/**
 * Names of the three array parameters that hold the rules, with one entry per condition: the number of the rule (odd if
 * it matches), and the kind and value of the condition.
 */
interface RuleParameters {
  readonly rules: string;
  readonly kinds: string;
  readonly values: string;
}

/**
 * Caches the parameters of rules. A statement repeats the same rules for each term about content, but passes their
 * values only once.
 */
const added = new WeakMap<Parameters, Map<FirstRuleQuery, RuleParameters>>();

/**
 * Returns a condition on a row `t` with a shelf and, if a rule is about ids, an id. Its text is the same for any number
 * of rules. With one condition per rule, PostgreSQL needed gigabytes of memory to plan one statement with a hundred
 * rules and a few terms.
 */
export function toFirstRulePredicate(query: FirstRuleQuery, parameters: Parameters): string {
  const { rules, kinds, values } = addOnce(query, parameters);
  const isAboutIds = query.rules.some(({ conditions }) => conditions.some(({ kind }) => kind !== 'container'));
  const ofIds = isAboutIds ? `when 'id' then t.id = c.value when 'prefix' then starts_with(t.id, c.value)` : '';
  return `coalesce((select c.rule % 2 = 1 from unnest(${rules}::integer[], ${kinds}::text[], ${values}::text[]) as c(rule, kind, value)
    group by c.rule having bool_and(case c.kind when 'under' then strpos(t.shelf, c.value) > 0
      when 'in' then strpos(t.shelf || ' ', c.value) > 0 ${ofIds} else true end) order by c.rule limit 1), false)`;
}

function addOnce(query: FirstRuleQuery, parameters: Parameters): RuleParameters {
  const known = added.get(parameters) ?? new Map<FirstRuleQuery, RuleParameters>();
  added.set(parameters, known);
  const found = known.get(query) ?? toParameters(query, parameters);
  known.set(query, found);
  return found;
}

function toParameters(query: FirstRuleQuery, parameters: Parameters): RuleParameters {
  const rows = query.rules.flatMap(({ conditions, isMatch }, index) => {
    const rule = 2 * index + (isMatch ? 1 : 0);
    const all = conditions.length === 0 ? [{ kind: 'always', value: '' }] : conditions.map(toRow);
    return all.map((row) => ({ ...row, rule }));
  });
  return {
    rules: parameters.add(rows.map(({ rule }) => rule)),
    kinds: parameters.add(rows.map(({ kind }) => kind)),
    values: parameters.add(rows.map(({ value }) => value)),
  };
}

/** A shelf is a list of containers, each preceded by a space. */
function toRow(condition: TokenCondition): { readonly kind: string; readonly value: string } {
  switch (condition.kind) {
    case 'container':
      return condition.isSubtree
        ? { kind: 'under', value: ` ${condition.path}` }
        : { kind: 'in', value: ` ${condition.path} ` };
    case 'id':
      return { kind: 'id', value: condition.id };
    case 'id-prefix':
      return { kind: 'prefix', value: condition.prefix };
  }
}
