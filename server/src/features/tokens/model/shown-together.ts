import { EvaluationBudget } from '../../../core/expressions/evaluation-budget.ts';
import { ExpressionError } from '../../../core/expressions/expression-error.ts';
import { type Mask, templatesOf } from '../../../core/expressions/mask.ts';
import { showsEveryDigit } from '../../../core/expressions/shown-digits.ts';
import { evaluateTemplateAsText } from '../../../core/expressions/template.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { TokenType } from '../../../core/token-types/token-type.ts';
import { expressionTools } from '../../../platform/keyring/expression-tools.ts';

/**
 * Returns true if a mask and the details in the same response, such as the first and last digits of a card, together
 * reveal the whole number. A mask that fails for other numbers cannot be checked, so the result is also true for it.
 */
export function showTogetherAll(
  { type, mask }: { readonly type: TokenType; readonly mask: Mask },
  data: Sensitive<JsonValue>,
  request: RequestBudget | undefined,
): boolean {
  const expressions = templatesOf(mask)
    .flatMap(({ parts }) => parts)
    .filter((part) => typeof part !== 'string')
    .filter(({ path: [root, member] }) => root === 'data' && (member === undefined || member === type.essentialMember));
  if (expressions.length === 0) return false;
  const show = (shown: JsonValue) => {
    const budget = new EvaluationBudget(request === undefined ? {} : { request });
    const details = type.derive?.(new Sensitive(shown));
    return [
      ...expressions.map((expression) =>
        evaluateTemplateAsText({ parts: [expression], expressionCount: 1 }, { data: shown }, expressionTools, budget),
      ),
      ...Object.values({ ...details?.card, ...details?.bank }).map(String),
    ];
  };
  try {
    return showsEveryDigit(show, data.reveal(), type.essentialMember);
  } catch (error) {
    if (error instanceof ExpressionError) return true;
    throw error;
  }
}
