import type { FieldBinding } from '../../../platform/keyring/tenant-keyring.ts';

/** What a sealed field of a token is bound to: moved to another token, field, type or version, it does not open. */
export function tokenBinding(
  token: { readonly id: string; readonly type: string; readonly version: number },
  field: 'data' | 'cvc',
): FieldBinding {
  return { tokenId: token.id, field, recordVersion: token.version, type: token.type };
}
