import type { JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { applyFilters } from './filter-chain.ts';
import type { Reference, ReferenceText } from './reference-text.ts';

export interface ReferenceSource {
  /** The data, or for the kind `token` the whole token; undefined where the token was not found. */
  find(reference: Reference): JsonValue | undefined;
  readonly tools: ExpressionTools;
  /** Share one over all texts of a request: a short reference can stand for a long value, many times over. */
  readonly budget?: EvaluationBudget;
}

/** A text that is one reference and nothing else yields the value itself; any other yields a string. */
export function evaluateReferences(text: ReferenceText, source: ReferenceSource): JsonValue {
  const [first = ''] = text.segments;
  if (text.segments.length > 1 || typeof first === 'string') return renderReferences(text, source);

  const budget = source.budget ?? new EvaluationBudget();
  return budget.spendValue(evaluateReference(first, source, budget), first.offset);
}

/**
 * Always a string. `encode` is applied to what is put in and not to the text around it, as a URL needs it; what was
 * put in is not searched for references again.
 */
export function renderReferences(
  text: ReferenceText,
  source: ReferenceSource,
  encode: (text: string) => string = (plain) => plain,
): string {
  const budget = source.budget ?? new EvaluationBudget();
  return text.segments
    .map((segment) => {
      if (typeof segment === 'string') return segment;
      return encode(budget.spendText(evaluateReference(segment, source, budget), segment.offset));
    })
    .join('');
}

function evaluateReference(reference: Reference, source: ReferenceSource, budget: EvaluationBudget): JsonValue {
  const value = source.find(reference);
  if (value === undefined) throw new ExpressionError('unresolved-reference', reference.offset);
  return applyFilters(value, reference.filters, source.tools, budget);
}
