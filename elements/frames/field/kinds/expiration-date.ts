import { type Change, complete, incomplete, type InputKind, invalid } from './input-kind.ts';

export interface ExpirationDateRules {
  readonly maxElapsedExpirationYear?: number | undefined;
  readonly showSpacing?: boolean | undefined;
}

/** Creates the rules of an expiration date. The value is stored as MMYY. */
export function createExpirationDateKind(rules: ExpirationDateRules): InputKind {
  const separator = rules.showSpacing === true ? ' / ' : '/';
  return {
    clean,
    show: (kept) => (kept.length > 2 ? `${kept.slice(0, 2)}${separator}${kept.slice(2)}` : kept),
    judge: (kept, now) => {
      const month = Number(kept.slice(0, 2));
      if (kept.length >= 2 && (month < 1 || month > 12)) return invalid;
      if (kept.length !== 4) return incomplete;
      return isExpired(kept, now, rules.maxElapsedExpirationYear ?? 0) ? invalid : complete;
    },
  };
}

/** Normalizes a date. Browsers fill in `12/2030` or `2030-12`, and people type `1/30`. */
function clean(text: string, change: Change = 'whole'): string {
  const digits = change === 'whole' ? digitsOf(text) : text.replaceAll(/\D/g, '');
  // No month starts with these digits, so a zero is added. After a deletion, though, the user may be about to insert
  // the first digit.
  const dated = change !== 'shortened' && /^[2-9]/.test(digits) ? `0${digits}` : digits;
  if (dated.slice(2, 4) !== '20') return dated.slice(0, 4);
  // The year is being typed, or was filled in, with four digits.
  return dated.length >= 6 ? `${dated.slice(0, 2)}${dated.slice(4, 6)}` : dated;
}

function digitsOf(text: string): string {
  const iso = /^\s*20(\d{2})\s*[/.-]\s*(\d{1,2})\s*$/.exec(text);
  if (iso !== null) return `${(iso[2] ?? '').padStart(2, '0')}${iso[1] ?? ''}`;
  const parted = /^\s*(\d)\s*[/.\- ]\s*(\d*)/.exec(text);
  return parted === null ? text.replaceAll(/\D/g, '') : `0${parted[1] ?? ''}${parted[2] ?? ''}`;
}

function isExpired(kept: string, now: Date, yearsMax: number): boolean {
  const [month, year] = [Number(kept.slice(0, 2)), 2000 + Number(kept.slice(2))];
  const oldest = now.getFullYear() - yearsMax;
  return year < oldest || (year === oldest && yearsMax === 0 && month < now.getMonth() + 1);
}
