import type { FieldErrors } from '../errors/domain-error.ts';
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

function validateSocialSecurityNumber(data: JsonValue): FieldErrors | undefined {
  if (typeof data === 'string' && format.test(data)) return undefined;
  return {
    data: ['The social security number must be a string of nine digits, with or without hyphens (000-00-0000).'],
  };
}
