import { sealedTable } from '../../../platform/keyring/keys/sealed-rows.ts';
import { intentBinding } from './token-intent.ts';

/** The data of every token intent, for re-encryption. */
export const sealedTokenIntents = sealedTable<{ position: string; type: string }>({
  name: 'token_intents',
  key: {
    column: 'id',
    toText: 'id::text',
    fromText: `coalesce(nullif(?, ''), '00000000-0000-0000-0000-000000000000')::uuid`,
  },
  sealedColumn: 'data',
  columns: ['type'],
  bindingOf: ({ position, type }) => intentBinding({ id: position, type }, 'data'),
});
