import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import type { JsonValue } from '../json/json-value.ts';
import { isDigitString } from './field-checks.ts';
import type { TokenType } from './token-type.ts';

export const usBankAccountNumberTokenType: TokenType = {
  name: 'us_bank_account_number',
  validate: validateAccountNumber,
  defaultContainers: ['/bank/high/'],
  defaultMask: '{{ data | reveal_last: 4 }}',
  defaultFingerprintExpression: '{{ data }}',
  defaultSearchIndexes: [],
};

function validateAccountNumber(data: Sensitive<JsonValue>): FieldErrors | undefined {
  if (isDigitString(data.reveal(), { min: 3, max: 17 })) return undefined;
  return { data: ['The account number must be a string of 3 to 17 digits.'] };
}
