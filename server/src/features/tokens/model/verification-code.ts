import { Sensitive } from '../../../core/identity/sensitive.ts';

/** Puts a card verification code back as the last member of the card object. Both are JSON text. */
export function withCode(text: Sensitive<string>, code: Sensitive<string>): Sensitive<string> {
  const object = text.reveal().trimEnd();
  const separator = object.slice(1, -1).trim() === '' ? '' : ',';
  return new Sensitive(`${object.slice(0, -1)}${separator}"cvc":${code.reveal()}}`);
}
