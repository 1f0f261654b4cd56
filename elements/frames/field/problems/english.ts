import type { ProblemReason } from '../../../protocol/element-state.ts';
import type { PartName } from '../part.ts';

/** The sentences of a language, by input and reason. */
export type Texts = Readonly<Record<PartName, Partial<Record<ProblemReason, string>>>>;

/** Returns the sentences that all inputs of a card have in common. */
const common = (what: string) => ({ empty: `Enter the ${what}.`, incomplete: `The ${what} is incomplete.` });

export const english: Texts = {
  number: {
    ...common('card number'),
    checksum: 'Check the digits of the card number.',
    brand: 'This card is not supported.',
  },
  date: { ...common('expiration date'), expired: 'The card has expired.', invalid: 'Check the month.' },
  code: { ...common('security code'), brand: 'This code does not match the card.' },
  text: { empty: 'Fill in this field.', incomplete: 'This is incomplete.', invalid: 'This is not valid.' },
};
