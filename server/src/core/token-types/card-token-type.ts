import type { FieldErrors } from '../errors/domain-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { toCardDetails } from './card-details.ts';
import { findCardNumberProblem } from './card-number.ts';
import { holdsMisnamedVerificationCode, isVerificationCode } from './card-verification-code.ts';
import { collectFieldErrors } from './collect-field-errors.ts';
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
  defaultFingerprintExpression: '{{ data.number }}',
  defaultSearchIndexes: [],
  derive: deriveCard,
};

/** Each is checked for a verification code under another name. */
const membersMax = 1_000;

function validateCard(data: JsonValue): FieldErrors | undefined {
  if (!isJsonObject(data)) return { data: ['Card data must be an object.'] };
  if (Object.keys(data).length > membersMax) return { data: [`Card data can have at most ${membersMax} members.`] };

  return collectFieldErrors({
    'data.number': findCardNumberProblem(data['number']),
    'data.expiration_month': isAbsentOrWhole(data['expiration_month'], 1, 12)
      ? undefined
      : 'The expiration month must be an integer from 1 to 12.',
    'data.expiration_year': isAbsentOrWhole(data['expiration_year'], 1000, 9999)
      ? undefined
      : 'The expiration year must be a four-digit integer.',
    'data.cvc': findVerificationCodeProblem(data),
  });
}

/** Some clients write null for members that they omit. */
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

function deriveCard(data: JsonValue): DerivedDetails | undefined {
  if (!isJsonObject(data)) return undefined;
  const card = toCardDetails(data['number']);
  if (card === undefined) return undefined;

  const month = data['expiration_month'];
  const year = data['expiration_year'];
  return {
    card: {
      ...card,
      ...(isWhole(month, 1, 12) && { expiration_month: month }),
      ...(isWhole(year, 1000, 9999) && { expiration_year: year }),
    },
  };
}
