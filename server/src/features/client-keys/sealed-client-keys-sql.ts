import { sealedTable } from '../../platform/keyring/keys/sealed-rows.ts';
import type { FieldBinding } from '../../platform/keyring/keys/tenant-keyring.ts';

/** Binds a private key to its row. No token has this field, so it cannot be decrypted as a token either. */
export function privateKeyBinding(id: string): FieldBinding {
  return { tokenId: id, field: 'private-key', recordVersion: 1, type: 'client-key' };
}

/** The private keys of all client keys, for re-encryption. */
export const sealedClientKeys = sealedTable({
  name: 'client_keys',
  key: {
    column: 'id',
    toText: 'id::text',
    fromText: `coalesce(nullif(?, ''), '00000000-0000-0000-0000-000000000000')::uuid`,
  },
  sealedColumn: 'private_key',
  columns: [],
  bindingOf: ({ position }) => privateKeyBinding(position),
});
