import { findRoutingNumberProblem } from './aba-routing-number.ts';
import { collectFieldErrors } from './field-checks.ts';
import type { TokenType } from './token-type.ts';

export const usBankRoutingNumberTokenType: TokenType = {
  name: 'us_bank_routing_number',
  validate: (data) => collectFieldErrors({ data: findRoutingNumberProblem(data.reveal()) }),
  defaultContainers: ['/bank/low/'],
  defaultMask: '{{ data | reveal_last: 4 }}',
  defaultFingerprintExpression: '{{ data }}',
  defaultSearchIndexes: [],
};
