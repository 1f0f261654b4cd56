import { DEFAULT_CARD_TYPES } from '../../../cards/card-types.ts';
import type { CardType } from '../../../cards/card-type.ts';
import { complete, incomplete, type InputKind, invalid } from './input-kind.ts';

export interface VerificationCodeRules {
  readonly cardBrand?: string | undefined;
  /** The brand of a number in another element. It counts if the element has no brand of its own. */
  readonly brandBeside?: string | undefined;
  readonly cardTypes?: readonly CardType[] | undefined;
}

const lengthMax = 4;

/**
 * Creates the rules of a verification code. It has as many digits as the brand requires, or three to four if the brand
 * is unknown. A browser that fills in a card fills in the code before the number's element reports its brand, so only
 * the element's own brand shortens what is entered.
 */
export function createVerificationCodeKind({
  cardBrand,
  brandBeside,
  cardTypes = DEFAULT_CARD_TYPES,
}: VerificationCodeRules): InputKind {
  const sizeOf = (brand: string | undefined) => cardTypes.find(({ type }) => type === brand)?.code.size;
  const ownSize = sizeOf(cardBrand);
  const size = ownSize ?? sizeOf(brandBeside);
  return {
    clean: (text) => text.replaceAll(/\D/g, '').slice(0, ownSize ?? lengthMax),
    show: (kept) => kept,
    judge: (kept) => {
      if (kept.length > (size ?? lengthMax)) return invalid;
      return kept.length >= (size ?? 3) ? complete : incomplete;
    },
  };
}
