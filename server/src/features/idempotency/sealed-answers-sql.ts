import { sealedTable } from '../../platform/keyring/sealed-rows.ts';
import type { FieldBinding } from '../../platform/keyring/tenant-keyring.ts';

/** An answer moved to another key does not open. No token has this field, so it opens as no token either. */
export function answerBinding(keyHash: Buffer): FieldBinding {
  return { tokenId: keyHash.toString('hex'), field: 'idempotency', recordVersion: 1, type: 'answer' };
}

/** The kept answers, for whoever seals them anew. A claim without an answer holds nothing. */
export const sealedAnswers = sealedTable({
  name: 'idempotency_results',
  key: { column: 'key_hash', toText: `encode(key_hash, 'hex')`, fromText: `decode(?, 'hex')` },
  sealedColumn: 'sealed',
  columns: [],
  bindingOf: ({ position }) => answerBinding(Buffer.from(position, 'hex')),
});
