import { binLength } from './card-bin.ts';
import { type Filter, requireCharacters } from './filter.ts';
import type { FilterArguments } from './filter-arguments.ts';

/**
 * Masks all but the last characters. A dash is kept and counts as a character; a space is masked. A value that is no
 * longer than the shown part is returned in full, except in the default mask of a type.
 */
export const revealLast: Filter = {
  effect: 'shape',
  argumentsMin: 1,
  argumentsMax: 2,
  bind(args) {
    const shownCount = args.count(0);
    const style = { maskCharacter: args.character(1, 'X'), preserved: new Set('-') };
    return (input, context) => {
      const characters = requireCharacters(input, context);
      const isHidden = context.tools.hidesShortValues === true && characters.length <= shownCount;
      return maskRange(characters, style, { from: 0, to: characters.length - (isHidden ? 0 : shownCount) });
    };
  },
};

export const reveal: Filter = {
  effect: 'shape',
  argumentsMin: 0,
  argumentsMax: 4,
  bind(args) {
    const first = args.count(0, 0);
    const last = args.count(1, 0);
    const style = parseStyle(args);
    return (input, context) => {
      const characters = requireCharacters(input, context);
      return maskWithoutLeak(characters, style, { from: first, to: characters.length - last });
    };
  },
};

/**
 * Works like `reveal`, but counts only characters that are not preserved. The same digits are shown with or without
 * dashes.
 */
export const cardMask: Filter = {
  effect: 'shape',
  argumentsMin: 0,
  argumentsMax: 4,
  bind(args) {
    const showsBin = args.flag(0, false);
    const last = args.flag(1, false) ? 4 : 0;
    const style = parseStyle(args);
    return (input, context) => {
      const characters = requireCharacters(input, context);
      const digitAt = findDigits(characters, style.preserved);
      const first = showsBin ? binLength(digitAt.length) : 0;
      const hidden = { from: digitAt[first] ?? characters.length, to: digitAt.at(-last - 1) ?? -1 };
      return maskWithoutLeak(characters, style, { from: hidden.from, to: hidden.to + 1 });
    };
  },
};

interface MaskStyle {
  readonly maskCharacter: string;
  readonly preserved: ReadonlySet<string>;
}

/** A half-open range, which is empty unless the end is after the start. */
interface HiddenRange {
  readonly from: number;
  readonly to: number;
}

function parseStyle(args: FilterArguments): MaskStyle {
  return { maskCharacter: args.character(2, 'X'), preserved: new Set(args.text(3, '')) };
}

/** Returns the positions of the characters that are not preserved. */
function findDigits(characters: readonly string[], preserved: ReadonlySet<string>): readonly number[] {
  const places: number[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    if (!preserved.has(characters[index] ?? '')) places.push(index);
  }
  return places;
}

/**
 * Masks a range and never returns the plaintext. If masking the range changes nothing, because it is empty or fully
 * preserved, the whole value is masked. If that changes nothing either, even the preserved characters are masked.
 */
function maskWithoutLeak(characters: readonly string[], style: MaskStyle, hidden: HiddenRange): string {
  const value = characters.join('');
  for (const range of [hidden, { from: 0, to: characters.length }]) {
    const masked = maskRange(characters, style, range);
    if (masked !== value) return masked;
  }
  return style.maskCharacter.repeat(characters.length);
}

/** Masks a range. Each hidden run is written at once instead of character by character. */
function maskRange(characters: readonly string[], style: MaskStyle, hidden: HiddenRange): string {
  const { maskCharacter, preserved } = style;
  const to = Math.max(hidden.from, hidden.to);
  if (preserved.size === 0) {
    const hiddenCount = Math.max(Math.min(to, characters.length) - hidden.from, 0);
    return [...characters.slice(0, hidden.from), maskCharacter.repeat(hiddenCount), ...characters.slice(to)].join('');
  }
  let masked = characters.slice(0, hidden.from).join('');
  let runLength = 0;
  for (const character of characters.slice(hidden.from, to)) {
    if (preserved.has(character)) {
      masked += maskCharacter.repeat(runLength) + character;
      runLength = 0;
    } else {
      runLength += 1;
    }
  }
  return masked + maskCharacter.repeat(runLength) + characters.slice(to).join('');
}
