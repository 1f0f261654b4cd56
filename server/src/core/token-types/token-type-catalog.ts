import { bankTokenType } from './bank-token-type.ts';
import { cardNumberTokenType } from './card-number-token-type.ts';
import { cardTokenType } from './card-token-type.ts';
import { employerIdNumberTokenType } from './employer-id-number-token-type.ts';
import { genericTokenType } from './generic-token-type.ts';
import { socialSecurityNumberTokenType } from './social-security-number-token-type.ts';
import type { TokenType } from './token-type.ts';
import { usBankAccountNumberTokenType } from './us-bank-account-number-token-type.ts';
import { usBankRoutingNumberTokenType } from './us-bank-routing-number-token-type.ts';

const tokenTypes: readonly TokenType[] = [
  genericTokenType,
  cardTokenType,
  bankTokenType,
  cardNumberTokenType,
  usBankAccountNumberTokenType,
  usBankRoutingNumberTokenType,
  socialSecurityNumberTokenType,
  employerIdNumberTokenType,
];

// A Map is used so that a caller's `constructor` or `__proto__` finds nothing.
const typeByName = new Map(tokenTypes.map((type) => [type.name, type]));

export const tokenTypeNames: readonly string[] = tokenTypes.map((type) => type.name);

export function findTokenType(name: string): TokenType | undefined {
  return typeByName.get(name);
}

export function getTokenType(token: { readonly type: string }): TokenType {
  const type = findTokenType(token.type);
  if (type === undefined) throw new Error('A stored token has a type that this version does not know.');
  return type;
}
