/** Longer than any of our names: anything beyond is not a typo, and comparing takes time. */
const lengthMax = 60;

/**
 * The known name that `written` was probably meant to be: the same letters in another case or with other
 * separators, or one or two typos away. Undefined for a name that resembles none of them.
 */
export function findIntendedName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > lengthMax) return undefined;
  const letters = toLetters(written);
  for (const name of known) {
    const intended = toLetters(name);
    if (letters === intended || isWithin(slipsAllowed(intended.length), letters, intended)) return name;
  }
  return undefined;
}

function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** A single typo turns too many short words into others. */
function slipsAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 6 ? 1 : 2;
}

/** Whether that many letters inserted, omitted, replaced or swapped with the next one turn one text into the other. */
function isWithin(slips: number, a: string, b: string): boolean {
  if (slips === 0 || Math.abs(a.length - b.length) > slips) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length) <= slips;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
