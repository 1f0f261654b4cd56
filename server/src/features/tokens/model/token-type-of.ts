import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import type { TokenType } from '../../../core/token-types/token-type.ts';

export function getTokenType(token: { readonly type: string }): TokenType {
  const type = findTokenType(token.type);
  if (type === undefined) throw new Error('A stored token has a type that this version does not know.');
  return type;
}
