import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { tokenLimits } from '../token-limits.ts';
import { findCardNumberProblem, findVerificationCodeLength, toCardDetails } from './card-number.ts';
import { collectFieldErrors, isDigitString } from './field-checks.ts';
import { findIntendedName } from '../text/intended-name.ts';
import type { DerivedDetails, TokenType } from './token-type.ts';

export const cardTokenType: TokenType = {
  name: 'card',
  validate: validateCard,
  defaultContainers: ['/pci/high/'],
  defaultMask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  essentialMember: 'number',
  defaultFingerprintExpression: '{{ data.number }}',
  defaultSearchIndexes: [],
  derive: deriveCard,
};

const membersMax = tokenLimits.cardMembersMax;
/** The known members except the verification code, which has its own rules. */
const memberNames = ['number', 'expiration_month', 'expiration_year'];
const misspelling = 'Is misspelled: the card data has an unknown member with a very similar name.';

function validateCard(data: Sensitive<JsonValue>): FieldErrors | undefined {
  const card = data.reveal();
  if (!isJsonObject(card)) return { data: ['Card data must be an object.'] };
  if (Object.keys(card).length > membersMax) return { data: [`Card data has at most ${membersMax} members.`] };

  const misspelled = findMisspelledMember(card);
  if (misspelled !== undefined) return { [`data.${misspelled}`]: [misspelling] };
  return collectFieldErrors({
    'data.number': findCardNumberProblem(card['number']),
    'data.expiration_month': isAbsentOrWhole(card['expiration_month'], 1, 12)
      ? undefined
      : 'The expiration month must be an integer from 1 to 12.',
    'data.expiration_year': isAbsentOrWhole(card['expiration_year'], 1000, 9999)
      ? undefined
      : 'The expiration year must be a four-digit integer.',
    'data.cvc': findVerificationCodeProblem(card),
  });
}

/**
 * Returns a known member that another name in the data closely resembles. A number under that other name would not be
 * masked.
 */
function findMisspelledMember(card: JsonObject): string | undefined {
  const others = Object.keys(card).filter((name) => name !== 'cvc' && !memberNames.includes(name));
  return others.map((name) => findIntendedName(name, memberNames)).find((name) => name !== undefined);
}

/** Returns true for null too, because some clients write null for members that they omit. */
function isAbsentOrWhole(value: JsonValue | undefined, min: number, max: number): boolean {
  return value === undefined || value === null || isWhole(value, min, max);
}

function isWhole(value: JsonValue | undefined, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function findVerificationCodeProblem(card: JsonObject): string | undefined {
  if (holdsMisnamedVerificationCode(card)) return 'A card verification code must be named cvc.';
  const code = card['cvc'];
  if (code === undefined || code === null) return undefined;
  if (!isVerificationCode(code)) return 'The card verification code must be three or four digits.';
  const length = findVerificationCodeLength(card['number']);
  if (length === undefined || String(code).length === length) return undefined;
  return `The verification code of a card of this brand must be ${length === 4 ? 'four' : 'three'} digits.`;
}

function deriveCard(data: Sensitive<JsonValue>): DerivedDetails | undefined {
  const card = data.reveal();
  if (!isJsonObject(card)) return undefined;
  const details = toCardDetails(card['number']);
  if (details === undefined) return undefined;

  const month = card['expiration_month'];
  const year = card['expiration_year'];
  return {
    card: {
      ...details,
      ...(isWhole(month, 1, 12) && { expiration_month: month }),
      ...(isWhole(year, 1000, 9999) && { expiration_year: year }),
    },
  };
}

/**
 * Returns true for three or four digits. A JSON number cannot begin with a zero, so a code sent as a number must be at
 * least 100. If it has fewer digits, the sender has lost some.
 */
export function isVerificationCode(value: JsonValue | undefined): value is string | number {
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
