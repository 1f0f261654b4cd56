/** Longer than any of our names: anything beyond is not a typo, and comparing takes time. */
const lengthMax = 60;

/**
 * The known name that somebody who wrote `written` probably meant: the same letters in another case or with other
 * separators, or the nearest of those that are a slip or two away. Undefined for a name that is like none of them.
 */
export function findIntendedName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > lengthMax) return undefined;
  const letters = toLetters(written);
  let nearest: string | undefined;
  let slipsMin = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const intended = toLetters(name);
    if (letters === intended) return name;
    const slips = countSlips(slipsAllowed(intended.length), letters, intended);
    if (slips >= slipsMin) continue;
    nearest = name;
    slipsMin = slips;
  }
  return nearest;
}

function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** A single typo turns too many short words into others. */
function slipsAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 6 ? 1 : 2;
}

/** How many letters inserted, left out, replaced or swapped with the next one turn one text into the other; infinite beyond `slipsMax`. */
function countSlips(slipsMax: number, a: string, b: string): number {
  if (slipsMax === 0 || Math.abs(a.length - b.length) > slipsMax) return Number.POSITIVE_INFINITY;
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
  const slips = at(last, b.length);
  return slips <= slipsMax ? slips : Number.POSITIVE_INFINITY;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
