import { jsonLengthUpTo, toJsonText } from '../../json/json-text.ts';
import { ExactNumber } from '../../json/json-value.ts';
import { ExpressionError } from '../expression-error.ts';
import { stringifiedCharactersMax } from '../expression-limits.ts';
import { type BoundFilter, type Filter, type FilterEffect, requireRoom, requireText } from './filter.ts';

/** Writes a value as JSON with the original text of every number. A string is returned unchanged. */
export const stringify = castFilter('shape', (input, context) => {
  if (typeof input === 'string') return input;
  if (input instanceof Uint8Array) throw new ExpressionError('wrong-value', context.offset);
  const length = jsonLengthUpTo(input, stringifiedCharactersMax);
  requireRoom(length, context);
  if (length > stringifiedCharactersMax) throw new ExpressionError('output-too-large', context.offset);
  context.budget.spendWork(length, context.offset);
  return toJsonText(input);
});

export const toText = castFilter('select', requireText);

export const toNumber = castFilter('select', (input, context) => {
  if (typeof input === 'number' || input instanceof ExactNumber) return input;
  const text = typeof input === 'string' ? toNumberText(input.trim()) : null;
  if (text === null) throw new ExpressionError('wrong-value', context.offset);
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
});

export const toBoolean = castFilter('select', (input, context) => {
  const text = requireText(input, context).toLowerCase();
  if (text !== 'true' && text !== 'false') throw new ExpressionError('wrong-value', context.offset);
  return text === 'true';
});

function castFilter(effect: FilterEffect, cast: BoundFilter): Filter {
  return { effect, argumentsMin: 0, argumentsMax: 0, bind: () => cast };
}

// The pattern is anchored and no character matches two adjacent parts, so it takes time proportional to the text.
const decimal = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Converts a number to JSON notation. People write the month as `04`, which is not valid JSON. */
function toNumberText(text: string): string | null {
  if (!decimal.test(text)) return null;
  const sign = text.startsWith('-') ? '-' : '';
  let at = text.startsWith('+') || text.startsWith('-') ? 1 : 0;
  while (text[at] === '0' && isDigit(text[at + 1])) at += 1;
  return sign + text.slice(at);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
