import type { JsonValue } from '../../json/json-value.ts';
import type { EvaluationBudget } from '../evaluation-budget.ts';
import { ExpressionError } from '../expression-error.ts';
import type { ExpressionTools } from '../expression-tools.ts';
import { isScalar, toConcatenatedText } from '../../json/json-text.ts';
import { toCharacters } from '../../text/code-points.ts';
import type { FilterArguments } from './filter-arguments.ts';
import type { JsonPathSegment } from './json-path.ts';

/** Bytes exist only between `hmac` and the filter that encodes them; the parser rejects any other order. */
export type FilterValue = JsonValue | Uint8Array;
/** Null never reaches a filter: an absent value stays absent through the whole chain. */
export type FilterInput = Exclude<FilterValue, null>;

/**
 * The effect of a filter on its input, for the rules that are checked before any value is seen. `select` yields a part
 * of the input and nothing else; `shape` may also add or change characters; `alias` replaces characters with random
 * ones; `digest` yields bytes that do not reveal the input; `encode` turns those bytes into text.
 */
export type FilterEffect = 'select' | 'shape' | 'alias' | 'digest' | 'encode';

export interface FilterContext {
  readonly tools: ExpressionTools;
  readonly budget: EvaluationBudget;
  readonly offset: number;
}

export type BoundFilter = (input: FilterInput, context: FilterContext) => FilterValue;

export interface Filter {
  readonly effect: FilterEffect;
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  /** Checks the arguments once, when the expression is compiled. */
  bind(args: FilterArguments): BoundFilter;
  /** Returns the path that the filter selects in its input. It is implemented only by filters that select by a path. */
  pathOf?(args: FilterArguments): readonly JsonPathSegment[];
  /** Returns the maximum number of input characters that the filter lets through. It is implemented only by aliases. */
  revealedMax?(args: FilterArguments): number;
}

/**
 * Returns the text of a scalar. Objects and arrays are rejected, because masking their JSON would reveal their
 * structure.
 */
export function requireText(input: FilterInput, context: FilterContext): string {
  if (input instanceof Uint8Array || !isScalar(input)) throw new ExpressionError('wrong-value', context.offset);
  return toConcatenatedText(input);
}

export function requireCharacters(input: FilterInput, context: FilterContext): string[] {
  return toCharacters(requireText(input, context));
}

/** Rejects a result that is too long. Call it with the length before building the result. */
export function requireRoom(characters: number, context: FilterContext): void {
  if (characters > context.budget.outputCharactersMax) throw new ExpressionError('output-too-large', context.offset);
}

/** Creates a filter without arguments that maps text to text. */
export function textFilter(effect: FilterEffect, map: (text: string) => JsonValue): Filter {
  return {
    effect,
    argumentsMin: 0,
    argumentsMax: 0,
    bind: () => (input, context) => map(requireText(input, context)),
  };
}
