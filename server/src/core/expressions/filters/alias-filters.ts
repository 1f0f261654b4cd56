import { ExpressionError } from '../expression-error.ts';
import { tokenLimits } from '../../token-limits.ts';
import { binLength } from './card-bin.ts';
import { type Filter, type FilterContext, type FilterInput, requireCharacters } from './filter.ts';

const digits = '0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Replaces the digits of a card number with random ones. Spaces and dashes stay in place. */
export const aliasCard: Filter = {
  effect: 'alias',
  argumentsMin: 0,
  argumentsMax: 2,
  revealedMax: (args) => (args.flag(0, false) ? binLength(16) : 0) + (args.flag(1, false) ? 4 : 0),
  bind(args) {
    const showsBin = args.flag(0, false);
    const lastCount = args.flag(1, false) ? 4 : 0;
    return (input, context) => {
      const characters = requireAliasable(input, context);
      const digitAt = characters.flatMap((character, index) => (character === ' ' || character === '-' ? [] : [index]));
      const firstCount = showsBin ? binLength(digitAt.length) : 0;

      const replacedAt = digitAt.slice(firstCount, Math.max(digitAt.length - lastCount, firstCount));
      return replaceCharacters(
        characters,
        replacedAt.map((index) => ({ index, alphabet: digits })),
        context,
      );
    };
  },
};

/**
 * Replaces digits with digits and letters with lower-case letters. Punctuation and spaces belong to the format and are
 * kept.
 */
export const aliasPreserveFormat = aliasBy((character) => {
  if (/^\p{Nd}$/u.test(character)) return digits;
  // Every character outside ASCII counts as a letter, because a name in another script is content, not format.
  return /^[\s!-/:-@[-`{-~]$/.test(character) ? null : letters;
});

export const aliasPreserveLength = aliasBy(() => digits + letters);

interface Replacement {
  readonly index: number;
  readonly alphabet: string;
}

function aliasBy(alphabetFor: (character: string) => string | null): Filter {
  return {
    effect: 'alias',
    argumentsMin: 0,
    argumentsMax: 2,
    revealedMax: (args) => args.count(0, 0) + args.count(1, 0),
    bind(args) {
      const first = args.count(0, 0);
      const last = args.count(1, 0);
      return (input, context) => {
        const characters = requireAliasable(input, context);
        const replaceable = characters.flatMap((character, index) => {
          const alphabet = alphabetFor(character);
          return alphabet === null ? [] : [{ index, alphabet }];
        });
        const hidden = replaceable.filter(({ index }) => index >= first && index < characters.length - last);
        // If the revealed ends leave nothing to replace, the alias would be the value itself. In that case nothing is
        // revealed.
        return replaceCharacters(characters, hidden.length === 0 ? replaceable : hidden, context);
      };
    },
  };
}

/** Rejects values longer than an id, because an alias is meant to be an id. */
function requireAliasable(input: FilterInput, context: FilterContext): readonly string[] {
  const characters = requireCharacters(input, context);
  if (characters.length > tokenLimits.idLengthMax) throw new ExpressionError('output-too-large', context.offset);
  return characters;
}

function replaceCharacters(
  characters: readonly string[],
  replacements: readonly Replacement[],
  context: FilterContext,
): string {
  if (replacements.length === 0) throw new ExpressionError('nothing-to-alias', context.offset);
  const alias = [...characters];
  for (const { index, alphabet } of replacements) alias[index] = drawFrom(alphabet, context);
  if (alias.join('').toLowerCase() !== characters.join('').toLowerCase()) return alias.join('');

  // The alias can equal the value by chance: with four free digits, that happens once in ten thousand aliases. In that
  // case one character is drawn again from the rest of its alphabet.
  const redrawn = replacements[context.tools.randomInt(replacements.length)];
  if (redrawn === undefined) throw new RangeError('randomInt returned a value outside its range.');
  const original = characters[redrawn.index]?.toLowerCase() ?? '';
  alias[redrawn.index] = drawFrom(redrawn.alphabet.replace(original, ''), context);
  return alias.join('');
}

function drawFrom(alphabet: string, context: FilterContext): string {
  return alphabet.charAt(context.tools.randomInt(alphabet.length));
}
