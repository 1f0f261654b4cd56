import { sealedTable } from '../../../platform/keyring/keys/sealed-rows.ts';
import { tokenBinding } from '../model/token.ts';

/** The data of every token, for re-encryption. Verification codes have separate keys that live for an hour. */
export const sealedTokens = sealedTable<{ position: string; type: string; version: number }>({
  name: 'tokens',
  key: { column: 'id', toText: 'id', fromText: '?' },
  sealedColumn: 'data',
  columns: ['type', 'version'],
  bindingOf: ({ position, type, version }) => tokenBinding({ id: position, type, version }, 'data'),
});
