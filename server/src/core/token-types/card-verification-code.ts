import { findIntendedName } from '../text/intended-name.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { isDigitString } from './digit-string.ts';

/**
 * Three or four digits. A JSON number cannot begin with a zero, so a code sent as a number counts only from 100 on:
 * fewer digits mean that the sender has lost some.
 */
export function isVerificationCode(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 100 && value <= 9999;
  return isDigitString(value, { min: 3, max: 4 });
}

/**
 * Card data may have additional members, with one exception. Only `cvc` is erased after its hour, and PCI DSS 3.3.1 forbids
 * keeping a verification code after authorization, so a code under another common name, or a misspelled one, is rejected.
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

/** `card_cvv`, `cardCvv` and `Card-CVV` are the same name. */
function toComparableName(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
