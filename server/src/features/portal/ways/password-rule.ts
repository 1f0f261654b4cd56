import type { Sensitive } from '../../../core/identity/sensitive.ts';

/** The minimum length of a password in characters (PCI DSS 8.3.6). */
const lengthMin = 12;
const lengthMax = 200;

/** Returns a message that says what is wrong with a password, or undefined if it can be used. */
export function findPasswordMistake(password: Sensitive<string>): string | undefined {
  const text = password.reveal();
  const { length } = [...text];
  if (length < lengthMin || length > lengthMax)
    return `The password must have ${lengthMin} to ${lengthMax} characters.`;
  return hasLettersAndDigits(text) ? undefined : 'The password must have both letters and digits.';
}

/** Accepts letters and digits of any script, because only the presence of both kinds matters. */
function hasLettersAndDigits(text: string): boolean {
  return /\p{L}/u.test(text) && /\p{Nd}/u.test(text);
}
