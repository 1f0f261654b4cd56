import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileRecord } from '../../platform/files/record-reader.ts';
import {
  advance,
  type BatchWriter,
  countDropped,
  idTaken,
  toEntries,
  toRejected,
  type WrittenBatch,
} from './batch-writer.ts';
import type { PreparedRecord } from './record-preparer.ts';
import type { RejectFile } from './reject-file.ts';
import { type ImportState, TokenImportStore } from './token-import-store.ts';

/**
 * The maximum number of ids that are remembered to find duplicates in the file. They take a few hundred megabytes at
 * most.
 */
const rememberedMax = 2_000_000;

interface RehearsalWriterParts {
  readonly database: Database;
  readonly tenantId: TenantId;
  readonly rejects: RejectFile | undefined;
}

/** Performs all the checks of a real import, and writes nothing to the vault. */
export class RehearsalWriter implements BatchWriter {
  readonly #parts: RehearsalWriterParts;
  readonly #seen = new Set<string>();

  constructor(parts: RehearsalWriterParts) {
    this.#parts = parts;
  }

  async write(
    records: readonly FileRecord[],
    prepared: readonly PreparedRecord[],
    from: ImportState,
  ): Promise<WrittenBatch> {
    const entries = toEntries(records, prepared);
    const ids = prepared.flatMap((one) => (one.kind === 'row' ? [one.row.id] : []));
    const taken = new Set(
      await this.#parts.database.forTenant(this.#parts.tenantId, (tx) =>
        new TokenImportStore(tx, this.#parts.tenantId).listTaken(ids),
      ),
    );
    const rejects = entries.flatMap(({ record, prepared: one }) => {
      if (one.kind === 'reject') return [toRejected(record, one.reject)];
      if (one.kind !== 'row') return [];
      const { id } = one.row;
      if (taken.has(id) || this.#seen.has(id)) return [toRejected(record, { ...idTaken, id })];
      if (this.#seen.size < rememberedMax) this.#seen.add(id);
      return [];
    });
    const rows = ids.length;
    const refusedRows = rejects.filter(({ code }) => code === idTaken.code).length;
    const length = await this.#parts.rejects?.write(rejects);
    if (length !== undefined) this.#parts.rejects?.keep(length);
    return {
      state: advance(from, entries, { imported: rows - refusedRows, rejected: rejects.length }),
      codesDropped: countDropped(prepared),
    };
  }

  async finish(): Promise<void> {
    // There is nothing to finish.
  }

  async stop(): Promise<void> {
    // There is nothing to stop.
  }
}
