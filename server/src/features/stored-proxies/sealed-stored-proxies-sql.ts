import { sealedTable } from '../../platform/keyring/keys/sealed-rows.ts';
import type { FieldBinding } from '../../platform/keyring/keys/tenant-keyring.ts';

/** Binds the secrets to their proxy. No token has this field, so they cannot be opened as a token. */
export function proxySecretsBinding(proxyId: string): FieldBinding {
  return { tokenId: proxyId, field: 'proxy secrets', recordVersion: 1, type: 'proxy' };
}

/** The stored secrets, for re-encryption. */
export const sealedStoredProxies = sealedTable({
  name: 'stored_proxies',
  key: {
    column: 'id',
    toText: 'id::text',
    fromText: `coalesce(nullif(?, '')::uuid, '00000000-0000-0000-0000-000000000000')`,
  },
  sealedColumn: 'secrets_sealed',
  columns: [],
  bindingOf: ({ position }) => proxySecretsBinding(position),
});
