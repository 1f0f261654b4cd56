import type { Sensitive } from '../../../core/identity/sensitive.ts';

/** PCI DSS 8.3.6. */
const lengthMin = 12;
const lengthMax = 200;

/** What is wrong with a password, in the words of the page; undefined if it can be used. */
export function findPasswordMistake(password: Sensitive<string>): string | undefined {
  const text = password.reveal();
  const { length } = [...text];
  if (length < lengthMin || length > lengthMax)
    return `The password must have ${lengthMin} to ${lengthMax} characters.`;
  return hasLettersAndDigits(text) ? undefined : 'The password must have both letters and digits.';
}

/** Of any script: what counts is that there are both kinds. */
function hasLettersAndDigits(text: string): boolean {
  return /\p{L}/u.test(text) && /\p{Nd}/u.test(text);
}
