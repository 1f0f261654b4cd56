import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { ExpressionError } from '../expression-error.ts';
import { isScalar, toConcatenatedText } from '../../json/json-text.ts';
import { binLength } from './card-bin.ts';
import { toCharacters } from '../../text/code-points.ts';
import { type Filter, type FilterContext, requireText } from './filter.ts';
import type { FilterArguments } from './filter-arguments.ts';

export const cardBin: Filter = {
  effect: 'select',
  argumentsMin: 0,
  argumentsMax: 1,
  bind(args) {
    const separator = args.text(0, '');
    return (input, context) => {
      const text = requireText(input, context);
      const characters = toCharacters(text.replaceAll(separator, ''));
      const length = binLength(characters.length);
      // The BIN of a value this short would be the whole value.
      if (characters.length <= length) throw new ExpressionError('wrong-value', context.offset);
      return characters.slice(0, length).join('');
    };
  },
};

/**
 * Formats `expiration_month` and `expiration_year` of a card object. Yields null if the format needs a missing member.
 */
export const cardExp: Filter = {
  effect: 'shape',
  argumentsMin: 1,
  argumentsMax: 1,
  bind(args) {
    const pieces = parseFormat(args);
    return (input, context) => {
      if (input instanceof Uint8Array || !isJsonObject(input)) throw new ExpressionError('wrong-value', context.offset);
      const texts = pieces.map((piece) => pieceText(piece, input, context));
      return texts.includes(null) ? null : texts.join('');
    };
  },
};

type Placeholder = 'MM' | 'YY' | 'YYYY';
type FormatPiece = { readonly placeholder: Placeholder } | { readonly literal: string };

const placeholders: readonly Placeholder[] = ['YYYY', 'YY', 'MM'];

/** Splits a format into placeholders and punctuation. A letter that is not a placeholder is rejected, not printed. */
function parseFormat(args: FilterArguments): readonly FormatPiece[] {
  const format = args.text(0);
  const pieces: FormatPiece[] = [];
  for (let at = 0; at < format.length; ) {
    const placeholder = placeholders.find((candidate) => format.startsWith(candidate, at));
    const character = format.charAt(at);
    if (placeholder === undefined && character.toLowerCase() !== character.toUpperCase()) args.refuse();
    pieces.push(placeholder === undefined ? { literal: character } : { placeholder });
    at += placeholder?.length ?? 1;
  }
  if (pieces.every((piece) => 'literal' in piece)) args.refuse();
  return pieces;
}

function pieceText(piece: FormatPiece, card: JsonObject, context: FilterContext): string | null {
  if ('literal' in piece) return piece.literal;
  if (piece.placeholder === 'MM') return digitsOf(card, 'expiration_month', context)?.padStart(2, '0') ?? null;
  const year = digitsOf(card, 'expiration_year', context);
  return year === null ? null : year.slice(-piece.placeholder.length);
}

const digitsByMember = {
  expiration_month: /^(?:0?[1-9]|1[0-2])$/,
  expiration_year: /^\d{4}$/,
} as const;

function digitsOf(card: JsonObject, member: keyof typeof digitsByMember, context: FilterContext): string | null {
  const value = Object.hasOwn(card, member) ? (card[member] ?? null) : null;
  if (value === null) return null;
  const text = isScalar(value) ? toConcatenatedText(value) : '';
  if (!digitsByMember[member].test(text)) throw new ExpressionError('wrong-value', context.offset);
  return text;
}
