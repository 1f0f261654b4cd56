import { DomainError } from '../../../core/errors/domain-error.ts';
import type { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import { UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { ErasureService, Requester } from './erasure-service.ts';
import { ErasureStore } from './erasure-store.ts';
import { readRecordLines } from './receipt-writer.ts';

interface ErasureReceiptsParts {
  readonly database: Database;
  readonly reader: LogReader;
  readonly erasures: ErasureService;
}

/** Reads receipts: their signed head, and the records from the log. */
export class ErasureReceipts {
  readonly #parts: ErasureReceiptsParts;

  constructor(parts: ErasureReceiptsParts) {
    this.#parts = parts;
  }

  /** Returns a receipt in parts. The first part is read before this resolves, so that a failure has a status. */
  async read(requester: Requester, id: string): Promise<AsyncGenerator<string>> {
    const { database, reader, erasures } = this.#parts;
    const { tenantId } = requester;
    const head = await erasures.findReceipt(requester, id);
    const batches = await database.forTenant(tenantId, (tx) => new ErasureStore(tx, tenantId).listBatches(id));
    const lines = readRecordLines(reader, tenantId, batches);
    const first = await lines.next().catch((error: unknown) => {
      throw error instanceof UnprovableError ? new DomainError('validation-failed', error.message) : error;
    });
    return (async function* () {
      yield head;
      if (first.done === true) return;
      yield first.value;
      yield* lines;
    })();
  }
}
