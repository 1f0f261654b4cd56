import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { TokenType } from './token-type.ts';

export const employerIdNumberTokenType: TokenType = {
  name: 'employer_id_number',
  validate: validateEmployerIdNumber,
  defaultContainers: ['/pii/high/'],
  defaultMask: '{{ data | reveal_last: 4 }}',
  defaultFingerprintExpression: "{{ data | remove: '-' }}",
  defaultSearchIndexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
};

const format = /^[0-9]{2}-?[0-9]{7}$/;

function validateEmployerIdNumber(data: Sensitive<JsonValue>): FieldErrors | undefined {
  const number = data.reveal();
  if (typeof number === 'string' && format.test(number)) return undefined;
  return { data: ['The employer identification number must be a string of nine digits, plain or as 00-0000000.'] };
}
