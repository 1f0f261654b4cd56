/** Returns the n-th of many different cards as a line of JSON, with an id and the customer that it belongs to. */
export function cardLine(index: number): string {
  const digits = `4${String(index).padStart(14, '0')}`;
  return JSON.stringify({
    id: `card-${String(index).padStart(12, '0')}-${(index * 2_654_435_761) % 4_294_967_296}`,
    type: 'card',
    data: {
      number: `${digits}${checkDigitOf(digits)}`,
      expiration_month: (index % 12) + 1,
      expiration_year: 2_030 + (index % 10),
    },
    metadata: { customer: `customer-${Math.floor(index / 10)}` },
  });
}

/** Returns the Luhn check digit (ISO/IEC 7812-1, annex B). */
function checkDigitOf(digits: string): number {
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
