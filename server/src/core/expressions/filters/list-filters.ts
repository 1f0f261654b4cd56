import type { JsonArray, JsonValue } from '../../json/json-value.ts';
import { ExpressionError } from '../expression-error.ts';
import { listItemsMax } from '../expression-limits.ts';
import { toCharacters } from '../../text/code-points.ts';
import { type Filter, type FilterContext, type FilterInput, requireCharacters, requireText } from './filter.ts';

/**
 * Splits a text like Liquid does: trailing empty pieces are dropped, runs of spaces count as one separator, and an
 * empty separator yields single characters.
 */
export const split: Filter = {
  effect: 'select',
  argumentsMin: 1,
  argumentsMax: 1,
  bind(args) {
    const separator = args.text(0);
    return (input, context) => {
      const text = requireText(input, context);
      const pieces = separator === '' ? toCharacters(text) : text.split(separator, listItemsMax + 1);
      if (pieces.length > listItemsMax) throw new ExpressionError('output-too-large', context.offset);
      if (separator === ' ') return pieces.filter((piece) => piece !== '');
      return pieces.slice(0, pieces.findLastIndex((piece) => piece !== '') + 1);
    };
  },
};

export const first = itemFilter((items) => items[0] ?? null);
export const last = itemFilter((items) => items.at(-1) ?? null);

/**
 * Returns one character or item by default. A negative offset counts from the end. The result is empty if it is out of
 * range.
 */
export const slice: Filter = {
  effect: 'select',
  argumentsMin: 1,
  argumentsMax: 2,
  bind(args) {
    const offset = args.integer(0);
    const length = args.integer(1, 1);
    return (input, context) => {
      if (isList(input)) {
        context.budget.spendWork(Math.min(Math.max(length, 0), input.length), context.offset);
        return sliceItems(input, offset, length);
      }
      return sliceItems(requireCharacters(input, context), offset, length).join('');
    };
  },
};

function itemFilter(pick: (items: JsonArray) => JsonValue): Filter {
  return {
    effect: 'select',
    argumentsMin: 0,
    argumentsMax: 0,
    bind: () => (input, context) => pick(requireList(input, context)),
  };
}

/** Accepts only lists, because Liquid implementations disagree on the first item of a text. */
function requireList(input: FilterInput, context: FilterContext): JsonArray {
  if (!isList(input)) throw new ExpressionError('wrong-value', context.offset);
  return input;
}

function isList(input: FilterInput): input is JsonArray {
  return Array.isArray(input);
}

function sliceItems<Item>(items: readonly Item[], offset: number, length: number): Item[] {
  const start = offset < 0 ? items.length + offset : offset;
  return start < 0 || length <= 0 ? [] : items.slice(start, start + length);
}
