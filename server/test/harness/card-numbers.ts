import { DEFAULT_CARD_TYPES } from '../../../elements/cards/card-types.ts';
import { passesLuhn } from '../../src/core/token-types/luhn.ts';

/** A number of a length with a prefix and the right check digit. */
export function numberOf(prefix: string, length: number): string {
  const body = prefix.padEnd(length - 1, '123456789012345678');
  return [...'0123456789'].map((digit) => `${body}${digit}`).find(passesLuhn) ?? '';
}

const separators = [' ', '-', '.', '  ', '\u00A0', ''] as const;

/** Every brand in every length that it has, as it is shown in a field, and with something to stand between pasted groups. */
export const cardNumbers = DEFAULT_CARD_TYPES.flatMap(({ type, lengths, patterns }) =>
  lengths.map((length, index) => {
    const [pattern] = patterns;
    const number = numberOf(String(typeof pattern === 'number' ? pattern : pattern?.[0]), length);
    const separator = separators[(index + type.length) % separators.length] ?? ' ';
    return { brand: type, length, number, groups: groupsOf(type, number), separator };
  }),
);

/** Groups of four, as on a card; two networks have longer ones. */
function groupsOf(brand: string, number: string): string {
  const pattern =
    brand === 'american-express' || (brand === 'diners-club' && number.length <= 16)
      ? /^(.{4})(.{6})(.*)$/
      : /^(.{4})(.{4})(.{1,4})(.{0,4})(.{0,3})$/;
  return (pattern.exec(number)?.slice(1) ?? []).filter((group) => group !== '').join(' ');
}
