import { toCharacters } from '../../text/code-points.ts';
import { splitText } from '../../text/find-text.ts';
import { type Filter, requireRoom, requireText, textFilter } from './filter.ts';

export const last4 = textFilter('select', (text) => toCharacters(text.slice(-8)).slice(-4).join(''));

// The effect is not `select`, because a few letters become two or three when their case changes.
export const upcase = textFilter('shape', (text) => text.toUpperCase());
export const downcase = textFilter('shape', (text) => text.toLowerCase());

export const append = joinFilter((text, addition) => text + addition);
export const prepend = joinFilter((text, addition) => addition + text);

export const padLeft = padFilter((text, padding) => padding + text);
export const padRight = padFilter((text, padding) => text + padding);

export const remove: Filter = {
  effect: 'select',
  argumentsMin: 1,
  argumentsMax: 1,
  bind(args) {
    const search = args.text(0);
    return (input, context) => {
      const text = requireText(input, context);
      return search === '' ? text : splitText(text, search).join('');
    };
  },
};

export const replace: Filter = {
  effect: 'shape',
  argumentsMin: 1,
  argumentsMax: 2,
  bind(args) {
    const search = args.text(0);
    const replacement = args.text(1, '');
    // An empty search would match between any two characters, even between the halves of a surrogate pair.
    if (search === '') args.refuse();
    return (input, context) => {
      const pieces = splitText(requireText(input, context), search);
      const kept = pieces.reduce((sum, piece) => sum + piece.length, 0);
      requireRoom(kept + (pieces.length - 1) * replacement.length, context);
      return pieces.join(replacement);
    };
  },
};

function joinFilter(join: (text: string, addition: string) => string): Filter {
  return {
    effect: 'shape',
    argumentsMin: 1,
    argumentsMax: 1,
    bind(args) {
      const addition = args.text(0);
      return (input, context) => join(requireText(input, context), addition);
    },
  };
}

function padFilter(join: (text: string, padding: string) => string): Filter {
  return {
    effect: 'shape',
    argumentsMin: 2,
    argumentsMax: 2,
    bind(args) {
      const length = args.count(0);
      const character = args.character(1);
      return (input, context) => {
        const text = requireText(input, context);
        const missing = Math.max(length - toCharacters(text).length, 0);
        requireRoom(text.length + missing * character.length, context);
        return join(text, character.repeat(missing));
      };
    },
  };
}
