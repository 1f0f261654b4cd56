import { sealedTable } from '../../platform/keyring/keys/sealed-rows.ts';
import type { FieldBinding } from '../../platform/keyring/keys/tenant-keyring.ts';

/**
 * Binds a result to its key, so that it cannot be decrypted in another row. No token has this field, so it cannot be
 * decrypted as a token either.
 */
export function answerBinding(keyHash: Buffer): FieldBinding {
  return { tokenId: keyHash.toString('hex'), field: 'idempotency', recordVersion: 1, type: 'answer' };
}

/** The stored results, for re-encryption. A claim without a result has nothing to re-encrypt. */
export const sealedResponses = sealedTable({
  name: 'idempotency_results',
  key: { column: 'key_hash', toText: `encode(key_hash, 'hex')`, fromText: `decode(?, 'hex')` },
  sealedColumn: 'sealed',
  columns: [],
  bindingOf: ({ position }) => answerBinding(Buffer.from(position, 'hex')),
});
