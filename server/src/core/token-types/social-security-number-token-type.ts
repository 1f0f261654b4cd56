import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { TokenType } from './token-type.ts';

export const socialSecurityNumberTokenType: TokenType = {
  name: 'social_security_number',
  validate: validateSocialSecurityNumber,
  defaultContainers: ['/pii/high/'],
  defaultMask: '{{ data | reveal_last: 4 }}',
  defaultFingerprintExpression: "{{ data | remove: '-' }}",
  defaultSearchIndexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
};

const format = /^[0-9]{3}(?:-[0-9]{2}-|[0-9]{2})[0-9]{4}$/;

function validateSocialSecurityNumber(data: Sensitive<JsonValue>): FieldErrors | undefined {
  const number = data.reveal();
  if (typeof number === 'string' && format.test(number)) return undefined;
  return { data: ['The social security number must be a string of nine digits, plain or as 000-00-0000.'] };
}
