import { DEFAULT_CARD_TYPES } from '../../../elements/cards/card-types.ts';
import { passesLuhn } from '../../src/core/token-types/field-checks.ts';

/** Returns a number with the given prefix and length and a correct check digit. */
export function numberOf(prefix: string, length: number): string {
  const body = prefix.padEnd(length - 1, '123456789012345678');
  return [...'0123456789'].map((digit) => `${body}${digit}`).find(passesLuhn) ?? '';
}

const separators = [' ', '-', '.', '  ', '\u00A0', ''] as const;

/** Every brand in each of its lengths, formatted as a field shows it, with a separator for pasted groups. */
export const cardNumbers = DEFAULT_CARD_TYPES.flatMap(({ type, lengths, patterns }) =>
  lengths.map((length, index) => {
    const [pattern] = patterns;
    const number = numberOf(String(typeof pattern === 'number' ? pattern : pattern?.[0]), length);
    const separator = separators[(index + type.length) % separators.length] ?? ' ';
    return { brand: type, length, number, groups: groupsOf(type, number), separator };
  }),
);

/** Splits a number into groups of four, as on a card. American Express and Diners Club use longer groups. */
function groupsOf(brand: string, number: string): string {
  const pattern =
    brand === 'american-express' || (brand === 'diners-club' && number.length <= 16)
      ? /^(.{4})(.{6})(.*)$/
      : /^(.{4})(.{4})(.{1,4})(.{0,4})(.{0,3})$/;
  return (pattern.exec(number)?.slice(1) ?? []).filter((group) => group !== '').join(' ');
}
