/** This is longer than any of our names. Longer text is not a typo, and comparing it takes time. */
const lengthMax = 60;

/**
 * Returns the known name that `written` probably means. It is a name that differs only in case or separators, or else
 * the nearest name within one or two typos. A name of three letters or fewer only matches if a letter is missing,
 * doubled or swapped, because replacing one gives too many other words. Returns undefined if no name is similar.
 */
export function findIntendedName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > lengthMax) return undefined;
  const letters = toLetters(written);
  let nearest: string | undefined;
  let slipsMin = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const intended = toLetters(name);
    if (letters === intended) return name;
    const slips = countSlipsTo(intended, letters);
    if (slips >= slipsMin) continue;
    nearest = name;
    slipsMin = slips;
  }
  return nearest;
}

function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function countSlipsTo(intended: string, letters: string): number {
  if (intended.length < 4) return isShortSlip(letters, intended) ? 1 : Number.POSITIVE_INFINITY;
  return countSlips(intended.length < 6 ? 1 : 2, letters, intended);
}

/** Returns true if a letter is missing or doubled, or two are swapped. */
function isShortSlip(letters: string, intended: string): boolean {
  if (letters === '' || Math.abs(letters.length - intended.length) > 1) return false;
  for (let at = 0; at < intended.length; at += 1) {
    const [before, letter = '', next = ''] = [intended.slice(0, at), intended[at], intended[at + 1]];
    const slips = [
      before + intended.slice(at + 1),
      before + letter + intended.slice(at),
      before + next + letter + intended.slice(at + 2),
    ];
    if (slips.includes(letters)) return true;
  }
  return false;
}

/**
 * Returns how many letters must be inserted, removed, replaced or swapped with the next one to turn one text into the
 * other. Returns infinity if there are more than `slipsMax`.
 */
function countSlips(slipsMax: number, a: string, b: string): number {
  if (Math.abs(a.length - b.length) > slipsMax) return Number.POSITIVE_INFINITY;
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
