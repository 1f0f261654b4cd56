import type { ProblemReason } from '../../../protocol/element-state.ts';
import type { PartName } from '../part.ts';

interface Judged {
  readonly kept: string;
  readonly error: 'incomplete' | 'invalid';
  /** The brand of a card number. */
  readonly brand: string | undefined;
}

/** From this length on, brands are known by their first digits. */
const brandKnownLength = 8;
const usualLength = 16;

/**
 * Returns the reason for an error. It tells the page nothing more than the error and the brand do: whether a number has
 * a wrong digit, or a month is over.
 */
export function reasonOf(name: PartName, judged: Judged): ProblemReason {
  if (judged.kept === '') return 'empty';
  if (name === 'number') return reasonOfNumber(judged);
  if (judged.error === 'incomplete') return 'incomplete';
  if (name === 'code') return 'brand';
  // A month that does not exist is invalid even before the year is complete.
  return name === 'date' && isMonth(judged.kept.slice(0, 2)) ? 'expired' : 'invalid';
}

/** Numbers of most brands can have more than 16 digits, so a typing error leaves them incomplete. */
function reasonOfNumber({ kept, error, brand }: Judged): ProblemReason {
  if (brand === undefined) return kept.length >= brandKnownLength ? 'brand' : 'incomplete';
  return error === 'invalid' || kept.length >= usualLength ? 'checksum' : 'incomplete';
}

function isMonth(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 12;
}
