import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/** Returns the texts that a response shows of some data. */
export type Showing = (data: JsonValue) => readonly string[];

const lengthMax = 40;
/** With all digits but one of a long number, the last has ten possible values, and the check digit of a card tells which. */
const longDigitCount = 12;

/**
 * Returns true if the texts that are shown together reveal a number digit by digit, even if no single text does. The
 * number is the data itself or its essential member. Equal digits can be at several places, so the value does not tell
 * which of them a text shows. Therefore the texts are compared with those of two other numbers, in which each place has
 * a pair of digits of its own.
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
      // A number without its leading zeros is shorter than the other two and cannot be compared sign by sign.
      const isSame = text.length !== one.length || (place !== undefined && text[at] === number[place]);
      if (place !== undefined && isSame) places.add(place);
    }
  }
  return places;
}

/** Returns two different digits from 1 to 9, which no other place up to the 72nd has. Text of its own never looks so. */
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
