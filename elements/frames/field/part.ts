import type { ElementType } from '../../protocol/element-type.ts';
import type { FieldSetup } from '../../protocol/field-options.ts';
import { createCardNumberKind } from './kinds/card-number.ts';
import { createExpirationDateKind } from './kinds/expiration-date.ts';
import { createFreeTextKind } from './kinds/free-text.ts';
import type { InputKind } from './kinds/input-kind.ts';
import { createVerificationCodeKind } from './kinds/verification-code.ts';

/** The inputs of a field. A card element has three, all others have one. */
export type PartName = 'number' | 'date' | 'code' | 'text';

export const partsOf: Readonly<Record<Exclude<ElementType, 'copyButton'>, readonly PartName[]>> = {
  card: ['number', 'date', 'code'],
  cardNumber: ['number'],
  cardExpirationDate: ['date'],
  cardVerificationCode: ['code'],
  text: ['text'],
};

export const kindOf: Readonly<Record<PartName, (setup: FieldSetup) => InputKind>> = {
  number: createCardNumberKind,
  date: createExpirationDateKind,
  code: createVerificationCodeKind,
  text: createFreeTextKind,
};

interface PartTraits {
  readonly className: string;
  /** The name of the input in a card's events and errors. */
  readonly target: string;
  readonly label: string;
  readonly placeholder: string;
  readonly autoComplete: string;
  readonly inputMode: string;
  /** The names of the input in options that differ by part. */
  readonly names: readonly string[];
}

export const traitsOf: Readonly<Record<PartName, PartTraits>> = {
  number: {
    className: 'card-number',
    target: 'cardNumber',
    label: 'Card number',
    placeholder: '1234 1234 1234 1234',
    autoComplete: 'cc-number',
    inputMode: 'numeric',
    names: ['cardNumber', 'number'],
  },
  date: {
    className: 'card-date',
    target: 'expirationDate',
    label: 'Expiration date',
    placeholder: 'MM/YY',
    autoComplete: 'cc-exp',
    inputMode: 'numeric',
    names: ['cardExpirationDate', 'expirationDate'],
  },
  code: {
    className: 'card-code',
    target: 'cvc',
    label: 'Security code',
    placeholder: 'CVC',
    autoComplete: 'cc-csc',
    inputMode: 'numeric',
    names: ['cardSecurityCode', 'csc'],
  },
  text: {
    className: 'text',
    target: 'text',
    label: 'Text',
    placeholder: '',
    autoComplete: 'off',
    inputMode: 'text',
    names: [],
  },
};

/** Returns the input that an event or error is about. An element with one input uses the name that the page gave it. */
export function targetOf(name: PartName, { type, targetId }: FieldSetup): string {
  return type === 'card' ? traitsOf[name].target : targetId;
}
