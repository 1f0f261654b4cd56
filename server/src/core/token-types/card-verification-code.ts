import { findIntendedName } from '../text/intended-name.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { isDigitString } from './digit-string.ts';

/**
 * Returns true for three or four digits. A JSON number cannot begin with a zero, so a code sent as a number must be at
 * least 100. If it has fewer digits, the sender has lost some.
 */
export function isVerificationCode(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 100 && value <= 9999;
  return isDigitString(value, { min: 3, max: 4 });
}

/**
 * Returns true if the card has a verification code under another common name, or under a misspelled one. Card data may
 * have additional members, but these are rejected: only `cvc` is erased after an hour, and PCI DSS 3.3.1 forbids
 * keeping a verification code after authorization.
 */
export function holdsMisnamedVerificationCode(card: JsonObject): boolean {
  return Object.entries(card).some(([key, value]) => isOtherName(key) && isVerificationCode(value));
}

function isOtherName(key: string): boolean {
  if (key === 'cvc') return false;
  return otherNames.has(toComparableName(key)) || findIntendedName(key, ['cvc']) !== undefined;
}

const otherNames = new Set(
  (
    'cvc cvc2 cvccode cvv cvv2 cvvcode cvn cvn2 cid csc cav cav2 cve cvp2 cardcvc cardcvv cardcode securitycode ' +
    'cardsecuritycode verificationcode verificationvalue cardverificationcode cardverificationvalue cardverificationnumber'
  ).split(' '),
);

/** Returns the same text for `card_cvv`, `cardCvv` and `Card-CVV`. */
function toComparableName(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
