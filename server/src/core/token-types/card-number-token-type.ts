import { findCardNumberProblem, toCardDetails } from './card-number.ts';
import { collectFieldErrors } from './field-checks.ts';
import type { TokenType } from './token-type.ts';

export const cardNumberTokenType: TokenType = {
  name: 'card_number',
  validate: (data) => collectFieldErrors({ data: findCardNumberProblem(data.reveal()) }),
  defaultContainers: ['/pci/high/'],
  defaultMask: '{{ data | reveal_last: 4 }}',
  defaultFingerprintExpression: '{{ data }}',
  defaultSearchIndexes: [],
  derive: (data) => {
    const card = toCardDetails(data.reveal());
    return card && { card };
  },
};
