import type { CardType } from '../../../cards/card-type.ts';
import { DEFAULT_CARD_TYPES } from '../../../cards/card-types.ts';
import { passesLuhn } from '../../../../server/src/core/token-types/field-checks.ts';
import { complete, incomplete, type InputKind, invalid } from './input-kind.ts';

export interface CardNumberRules {
  readonly cardTypes?: readonly CardType[] | undefined;
  readonly skipLuhnValidation?: boolean | undefined;
}

const lengthMax = 19;
const fours: readonly number[] = [4, 8, 12, 16];

export function createCardNumberKind(rules: CardNumberRules): InputKind {
  const lengthsOf = (kept: string) => findCardType(kept, rules)?.lengths ?? [];
  return {
    clean: (text) => {
      const digits = text.replaceAll(/\D/g, '');
      return digits.slice(0, Math.max(...lengthsOf(digits), 0) || lengthMax);
    },
    show: (kept) => {
      const gaps = gapsOf(kept, findCardType(kept, rules)?.gaps ?? fours);
      const parts = [0, ...gaps].map((start, index) => kept.slice(start, gaps[index] ?? lengthMax));
      return parts.filter((part) => part !== '').join(' ');
    },
    judge: (kept) => {
      const lengths = lengthsOf(kept);
      if (kept.length >= 8 && lengths.length === 0) return invalid;
      const isLuhn = rules.skipLuhnValidation === true || passesLuhn(kept);
      if (lengths.includes(kept.length) && isLuhn) return complete;
      return kept.length >= Math.max(...lengths, 0) && lengths.length > 0 ? invalid : incomplete;
    },
  };
}

/**
 * Returns the positions of gaps. Published types define gaps for 16 digits only, so all later digits would be one long
 * group.
 */
function gapsOf(kept: string, gaps: readonly number[]): readonly number[] {
  return kept.length > 16 && Math.max(...gaps) <= 12 ? fours : gaps;
}

/** Returns the network with the longest matching prefix. Networks overlap, for example Elo and Visa. */
export function findCardType(
  digits: string,
  { cardTypes = DEFAULT_CARD_TYPES }: CardNumberRules,
): CardType | undefined {
  let found: { readonly type: CardType; readonly length: number } | undefined;
  for (const type of cardTypes) {
    const length = Math.max(0, ...type.patterns.map((pattern) => coveredLength(pattern, digits)));
    if (length > (found?.length ?? 0)) found = { type, length };
  }
  return found?.type;
}

function coveredLength(pattern: CardType['patterns'][number], digits: string): number {
  const [first, last] = typeof pattern === 'number' ? [pattern, pattern] : pattern;
  const { length } = String(first);
  // A pattern must not reveal more digits than the BIN.
  const prefix = toBin(digits).slice(0, length);
  return prefix.length === length && Number(prefix) >= first && Number(prefix) <= last ? length : 0;
}

/** Returns the leading digits of a number that may be shown, with the same length as in the vault. */
export function toBin(digits: string): string {
  return digits.slice(0, digits.length < 16 ? 6 : 8);
}
