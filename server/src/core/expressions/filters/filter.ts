import type { JsonValue } from '../../json/json-value.ts';
import type { EvaluationBudget } from '../evaluation-budget.ts';
import { ExpressionError } from '../expression-error.ts';
import type { ExpressionTools } from '../expression-tools.ts';
import { isScalar, toConcatenatedText } from '../value-text.ts';
import { toCharacters } from '../../text/code-points.ts';
import type { FilterArguments } from './filter-arguments.ts';
import type { JsonPathSegment } from './json-path.ts';

/** Bytes exist only between `hmac` and the filter that encodes them; the parser rejects any other order. */
export type FilterValue = JsonValue | Uint8Array;
/** Null never reaches a filter: an absent value stays absent through the whole chain. */
export type FilterInput = Exclude<FilterValue, null>;

/**
 * What a filter does to its input, for the rules that are checked before any value is seen. `select` yields a part
 * of the input and nothing else; `shape` may also add or change characters; `alias` replaces characters by random
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
  /** Where in its input the filter looks; only filters that select by a path say so. */
  pathOf?(args: FilterArguments): readonly JsonPathSegment[];
  /** How many characters of its input the filter lets through at most; only aliases say so. */
  revealedMax?(args: FilterArguments): number;
}

/** The text of a scalar. Objects and arrays have none: masking their JSON would reveal their structure. */
export function requireText(input: FilterInput, context: FilterContext): string {
  if (input instanceof Uint8Array || !isScalar(input)) throw new ExpressionError('wrong-value', context.offset);
  return toConcatenatedText(input);
}

export function requireCharacters(input: FilterInput, context: FilterContext): string[] {
  return toCharacters(requireText(input, context));
}

/** Call with the length of a result before building it. */
export function requireRoom(characters: number, context: FilterContext): void {
  if (characters > context.budget.outputCharactersMax) throw new ExpressionError('output-too-large', context.offset);
}

/** A filter without arguments that maps text to text. */
export function textFilter(effect: FilterEffect, map: (text: string) => JsonValue): Filter {
  return {
    effect,
    argumentsMin: 0,
    argumentsMax: 0,
    bind: () => (input, context) => map(requireText(input, context)),
  };
}
