import type { Pattern } from '../../protocol/field-options.ts';
import { toBin } from './kinds/card-number.ts';

/**
 * Returns true if a page's pattern can run here. It must compile, and no repeated group may contain a choice or another
 * repetition, because that can take exponential time. Back references and look-behind are rejected too.
 */
export function isSafePattern({ source, flags }: Pattern): boolean {
  if (!/^[imsuv]*$/.test(flags) || /\\[1-9k]|\(\?<[=!]/.test(source)) return false;
  if (repeatsGroupWithChoice(source)) return false;
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function repeatsGroupWithChoice(source: string): boolean {
  const plain = source.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  const groups: boolean[] = [];
  for (let index = 0; index < plain.length; index += 1) {
    const character = plain[index] ?? '';
    if (character === '(') groups.push(false);
    else if (character === ')') {
      const hasChoice = groups.pop() ?? false;
      const isRepeated = '*+{'.includes(plain[index + 1] ?? ' ');
      if (hasChoice && isRepeated) return true;
      if ((hasChoice || isRepeated) && groups.length > 0) groups[groups.length - 1] = true;
    } else if ('*+{|'.includes(character) && groups.length > 0) groups[groups.length - 1] = true;
  }
  return false;
}

export function toRegExp({ source, flags }: Pattern): RegExp {
  return new RegExp(source, flags);
}

/**
 * Returns text as the page's patterns see it. Digits after the BIN become zeros, so that a page learns nothing beyond
 * the BIN.
 */
export function maskedForPatterns(text: string): string {
  const digitsSeen = toBin(text.replaceAll(/\D/g, '')).length;
  let digits = 0;
  return text.replaceAll(/\d/g, (digit) => {
    digits += 1;
    return digits > digitsSeen ? '0' : digit;
  });
}
