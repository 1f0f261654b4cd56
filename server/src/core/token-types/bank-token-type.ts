import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { findRoutingNumberProblem } from './aba-routing-number.ts';
import { collectFieldErrors, isDigitString } from './field-checks.ts';
import type { DerivedDetails, TokenType } from './token-type.ts';

export const bankTokenType: TokenType = {
  name: 'bank',
  validate: validateBank,
  defaultContainers: ['/bank/high/'],
  defaultMask: {
    routing_number: '{{ data.routing_number }}',
    account_number: '{{ data.account_number | reveal_last: 4 }}',
  },
  essentialMember: 'account_number',
  defaultFingerprintExpression: '{{ data.account_number }}|{{ data.routing_number }}',
  defaultSearchIndexes: [],
  derive: deriveBank,
};

function validateBank(data: Sensitive<JsonValue>): FieldErrors | undefined {
  const account = data.reveal();
  if (!isJsonObject(account)) return { data: ['Bank data must be an object.'] };

  return collectFieldErrors({
    'data.routing_number': findRoutingNumberProblem(account['routing_number']),
    'data.account_number': isAccountNumber(account['account_number'])
      ? undefined
      : 'The account number must be a string of at most 17 digits.',
  });
}

function isAccountNumber(value: JsonValue | undefined): value is string {
  return isDigitString(value, { min: 1, max: 17 });
}

function deriveBank(data: Sensitive<JsonValue>): DerivedDetails | undefined {
  const account = data.reveal();
  if (!isJsonObject(account)) return undefined;
  const routingNumber = account['routing_number'];
  const accountNumber = account['account_number'];
  if (typeof routingNumber !== 'string' || !isAccountNumber(accountNumber)) return undefined;

  return { bank: { routing_number: routingNumber, account_number_last4: lastFour(accountNumber) } };
}

/**
 * Returns the last four digits, or only `X` for a number of four digits or fewer. The last four digits of such a number
 * would reveal all of it, and the mask hides it too.
 */
function lastFour(accountNumber: string): string {
  return accountNumber.length > 4 ? accountNumber.slice(-4) : 'X'.repeat(accountNumber.length);
}
