import { sealedTable } from '../../../platform/keyring/keys/sealed-rows.ts';
import type { FieldBinding } from '../../../platform/keyring/keys/tenant-keyring.ts';

/** Binds the secrets to their endpoint. No token has this field, so they cannot be opened as a token. */
export function secretsBinding(webhookId: string): FieldBinding {
  return { tokenId: webhookId, field: 'webhook secrets', recordVersion: 1, type: 'webhook' };
}

/** The stored secrets, for re-encryption. */
export const sealedWebhooks = sealedTable({
  name: 'webhooks',
  key: {
    column: 'id',
    toText: 'id::text',
    fromText: `coalesce(nullif(?, '')::uuid, '00000000-0000-0000-0000-000000000000')`,
  },
  sealedColumn: 'secrets_sealed',
  columns: [],
  bindingOf: ({ position }) => secretsBinding(position),
});
