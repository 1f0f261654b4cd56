import { DEFAULT_CARD_TYPES } from '../../../cards/card-types.ts';
import type { CardType } from '../../../cards/card-type.ts';
import { complete, incomplete, type InputKind, invalid } from './input-kind.ts';

export interface VerificationCodeRules {
  readonly cardBrand?: string | undefined;
  readonly cardTypes?: readonly CardType[] | undefined;
}

/**
 * Creates the rules of a verification code. It has as many digits as the brand requires, or three to four if the brand
 * is unknown.
 */
export function createVerificationCodeKind({
  cardBrand,
  cardTypes = DEFAULT_CARD_TYPES,
}: VerificationCodeRules): InputKind {
  const size = cardTypes.find(({ type }) => type === cardBrand)?.code.size;
  return {
    clean: (text) => text.replaceAll(/\D/g, '').slice(0, size ?? 4),
    show: (kept) => kept,
    judge: (kept) => {
      if (kept.length > (size ?? 4)) return invalid;
      return kept.length >= (size ?? 3) ? complete : incomplete;
    },
  };
}
