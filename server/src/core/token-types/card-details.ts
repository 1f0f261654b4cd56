import type { JsonValue } from '../json/json-value.ts';
import { findCardBrand } from './card-brand.ts';
import { isCardNumberShaped } from './card-number.ts';
import type { CardDetails } from './token-type.ts';

/** What may be shown of a card number: never more than its issuer's prefix and the last four digits. */
export function toCardDetails(number: JsonValue | undefined): CardDetails | undefined {
  if (!isCardNumberShaped(number)) return undefined;

  const brand = findCardBrand(number);
  return {
    // Issuer prefixes have eight digits since ISO/IEC 7812-1:2017; shorter numbers keep the old six.
    bin: number.slice(0, number.length < 16 ? 6 : 8),
    last4: number.slice(-4),
    ...(brand !== undefined && { brand }),
  };
}
