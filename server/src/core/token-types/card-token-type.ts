import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { tokenLimits } from '../token-limits.ts';
import { findCardNumberProblem, toCardDetails } from './card-number.ts';
import { holdsMisnamedVerificationCode, isVerificationCode } from './card-verification-code.ts';
import { collectFieldErrors } from './collect-field-errors.ts';
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
  if (code === undefined || code === null || isVerificationCode(code)) return undefined;
  return 'The card verification code must be three or four digits.';
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
