/** Groups of digits, written as card numbers are. */
const digitsForm = /\d+(?:[\s-]\d+)*/g;
const uuidForm = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** How many digits a card number has (ISO/IEC 7812-1). */
const [digitsMin, digitsMax] = [12, 19];

/** How many digits in a row may be known of a card number, as in PCI DSS: those that name its issuer. */
const digitsKnownMax = 8;

/**
 * Returns true if a text holds so many digits in a row that they could be most of a card number, such as one that is
 * being typed. A field that writes its text into the address with each key must not write such a text.
 */
export function couldBecomeCardNumber(text: string): boolean {
  const found = text.replaceAll(uuidForm, '').match(digitsForm) ?? [];
  return found.some((digits) => digits.replaceAll(/[\s-]/g, '').length > digitsKnownMax);
}

/**
 * Returns true if a text holds what looks like a card number, with or without other digits beside it, such as an expiry
 * date. Such a text must not become part of an address.
 */
export function holdsCardNumber(text: string): boolean {
  const found = text.replaceAll(uuidForm, '').match(digitsForm) ?? [];
  return found.some((digits) => hasCardNumber(digits.split(/[\s-]/)));
}

/** Tries every run of groups that is as long as a card number. */
function hasCardNumber(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (const group of groups.slice(first)) {
      digits += group;
      if (digits.length > digitsMax) return false;
      if (digits.length >= digitsMin && passesLuhn(digits)) return true;
    }
    return false;
  });
}

/** The check of the last digit (ISO/IEC 7812-1, annex B). */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
