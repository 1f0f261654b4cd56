import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/** Returns the texts that a response shows of some data. */
export type Showing = (data: JsonValue) => readonly string[];

const lengthMax = 40;
/**
 * If all but one digit of a long number are known, the missing one has ten possible values, and the check digit of a
 * card reveals which one it is.
 */
const longDigitCount = 12;

/**
 * Returns true if the texts that are shown together reveal a number digit by digit, even if no single text does. The
 * number is the data itself or its essential member. The same digit can occur at several positions, so the value alone
 * does not tell which of them a text shows. The texts are therefore compared with those of two other numbers in which
 * each position has a unique pair of digits.
 */
export function showsEveryDigit(show: Showing, data: JsonValue, essential?: string): boolean {
  const member = isJsonObject(data) && essential !== undefined ? essential : undefined;
  const number = member !== undefined && isJsonObject(data) ? data[member] : data;
  if (typeof number !== 'string' || number.length > lengthMax || !/^[\d .-]*\d[\d .-]*$/.test(number)) return false;

  const withNumber = (other: string): JsonValue =>
    member !== undefined && isJsonObject(data) ? { ...data, [member]: other } : other;
  const replaced = (side: 0 | 1) => withNumber([...number].map((sign, at) => toOther(sign, codeAt(at)[side])).join(''));
  const places = findShownPlaces(number, show(data), [show(replaced(0)), show(replaced(1))]);
  const digitCount = number.replaceAll(/\D/g, '').length;
  return digitCount - places.size <= (digitCount >= longDigitCount ? 1 : 0);
}

function findShownPlaces(
  number: string,
  shown: readonly string[],
  [first, second]: readonly [readonly string[], readonly string[]],
): Set<number> {
  const placeOf = new Map(
    [...number].flatMap((sign, at) => (isDigit(sign) ? [[codeAt(at).join(''), at] as const] : [])),
  );
  const places = new Set<number>();
  for (const [index, text] of shown.entries()) {
    const [one = '', other = ''] = [first[index], second[index]];
    if (one.length !== other.length) continue;
    for (let at = 0; at < one.length; at += 1) {
      const place = placeOf.get(`${one[at]}${other[at]}`);
      // A number without its leading zeros is shorter than the other two and cannot be compared character by character.
      const isSame = text.length !== one.length || (place !== undefined && text[at] === number[place]);
      if (place !== undefined && isSame) places.add(place);
    }
  }
  return places;
}

/**
 * Returns two different digits from 1 to 9. The pair is unique among the first 72 positions. Literal text of a view
 * never looks like such a pair, because it is the same for both numbers.
 */
function codeAt(place: number): readonly [number, number] {
  const first = place % 9;
  return [first + 1, ((first + 1 + Math.floor(place / 9)) % 9) + 1];
}

function toOther(sign: string, digit: number): string {
  return isDigit(sign) ? String(digit) : sign;
}

function isDigit(sign: string): boolean {
  return /^\d$/.test(sign);
}
