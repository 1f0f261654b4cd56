import type { FieldErrors } from '../errors/domain-error.ts';
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

function validateEmployerIdNumber(data: JsonValue): FieldErrors | undefined {
  if (typeof data === 'string' && format.test(data)) return undefined;
  return {
    data: [
      'The employer identification number must be a string of nine digits, with or without a hyphen (00-0000000).',
    ],
  };
}
