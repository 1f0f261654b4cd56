import type { CardDetails } from './token-type.ts';
import type { JsonValue } from '../json/json-value.ts';
import { isDigitString, passesLuhn } from './field-checks.ts';
import { keysOf } from '../objects/keys-of.ts';

export function findCardNumberProblem(value: JsonValue | undefined): string | undefined {
  if (!isCardNumberShaped(value)) return 'The card number must be a string of 12 to 19 digits without separators.';
  if (!passesLuhn(value)) return 'The card number has an invalid checksum.';
  return undefined;
}

export function isCardNumberShaped(value: JsonValue | undefined): value is string {
  return isDigitString(value, { min: 12, max: 19 });
}

/**
 * Returns the part of a card number that may be shown: never more than the issuer's prefix and the last four digits.
 */
export function toCardDetails(number: JsonValue | undefined): CardDetails | undefined {
  if (!isCardNumberShaped(number)) return undefined;

  const brand = findCardBrand(number);
  return {
    // Issuer prefixes have had eight digits since ISO/IEC 7812-1:2017. Shorter numbers keep the old six.
    bin: number.slice(0, number.length < 16 ? 6 : 8),
    last4: number.slice(-4),
    ...(brand !== undefined && { brand }),
  };
}

/**
 * Issuer prefixes as published by the networks. `51-55` means every prefix from 51 to 55. Networks share ranges (Elo is
 * inside Visa and Discover, for example), so the longest prefix that covers a number determines its brand.
 */
const prefixesByBrand = {
  visa: '4',
  mastercard: '51-55 2221-2720',
  'american-express': '34 37',
  discover: '6011 644-649 65',
  'diners-club': '300-305 3095 36 38-39',
  jcb: '1800 2131 3528-3589',
  unionpay: '62 810-817',
  maestro: '493698 50 56-58 6304 6390 67',
  mir: '2200-2204',
  elo:
    '401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509000-509999 627780 636297 636368 ' +
    '650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727 650901-650978 ' +
    '651652-651679 655000-655019 655021-655058',
  hipercard: '384100 384140 384160 606282',
} as const satisfies Record<string, string>;

export type CardBrand = keyof typeof prefixesByBrand;

interface PrefixRange {
  readonly brand: CardBrand;
  readonly first: string;
  readonly last: string;
}

const longestPrefixFirst = keysOf(prefixesByBrand)
  .flatMap((brand) => prefixesByBrand[brand].split(' ').map((prefix) => toPrefixRange(brand, prefix)))
  .toSorted((a, b) => b.first.length - a.first.length);

/** Returns undefined for a number that no listed network issues. */
export function findCardBrand(number: string): CardBrand | undefined {
  return longestPrefixFirst.find((range) => covers(range, number))?.brand;
}

/** Returns how many digits a verification code of the number's network has, or undefined if the network is unknown. */
export function findVerificationCodeLength(number: JsonValue | undefined): number | undefined {
  const brand = isCardNumberShaped(number) ? findCardBrand(number) : undefined;
  if (brand === undefined) return undefined;
  return brand === 'american-express' ? 4 : 3;
}

function toPrefixRange(brand: CardBrand, prefix: string): PrefixRange {
  const [first = prefix, last = first] = prefix.split('-');
  return { brand, first, last };
}

/**
 * Returns true if the number is in the range. The two ends have the same length, so comparing text compares the
 * numbers.
 */
function covers(range: PrefixRange, number: string): boolean {
  const prefix = number.slice(0, range.first.length);
  return prefix.length === range.first.length && prefix >= range.first && prefix <= range.last;
}
