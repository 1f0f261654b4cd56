import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { StatementError } from '../../platform/database/database-error.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import type { FileRecord } from '../../platform/files/record-reader.ts';
import { countSlot, insertFreeIn, unlimitedSets } from '../tokens/index.ts';
import { importEvent } from './import-event.ts';
import type { ImportReject } from './import-reject.ts';
import type { PreparedRecord } from './record-preparer.ts';
import type { RejectedRecord, RejectFile } from './reject-file.ts';
import { type ImportState, TokenImportStore } from './token-import-store.ts';

export interface WrittenBatch {
  readonly state: ImportState;
  readonly codesDropped: number;
}

/** The destination of prepared records: the vault, or a dry run. */
export interface BatchWriter {
  write(records: readonly FileRecord[], prepared: readonly PreparedRecord[], from: ImportState): Promise<WrittenBatch>;
  finish(at: ImportState): Promise<void>;
  /** Called instead of `finish` if the import is stopped before the end of the file. */
  stop(at: ImportState): Promise<void>;
}

/** A record with the result of preparing it. */
interface Entry {
  readonly record: FileRecord;
  readonly prepared: PreparedRecord;
}

/** PostgreSQL error classes for a rejected value: bad data, a violated constraint, or a server limit. */
const faultsOfRows = ['22', '23', '54'];
export const importedElsewhere = 'Another process is importing this file. Let it finish, or stop it first.';
export const idTaken = { code: 'token-id-taken', reason: 'A token with this id already exists.' } as const;

interface VaultWriterParts {
  readonly database: Database;
  readonly tenantId: TenantId;
  readonly source: Buffer;
  readonly rejects: RejectFile;
}

/**
 * Writes batches to the vault. Tokens, everything that belongs to them and the position in the file are written in one
 * transaction.
 */
export class VaultWriter implements BatchWriter {
  readonly #parts: VaultWriterParts;

  constructor(parts: VaultWriterParts) {
    this.#parts = parts;
  }

  async write(
    records: readonly FileRecord[],
    prepared: readonly PreparedRecord[],
    from: ImportState,
  ): Promise<WrittenBatch> {
    const state = await this.#writeAll(toEntries(records, prepared), from);
    return { state, codesDropped: countDropped(prepared) };
  }

  async finish(at: ImportState): Promise<void> {
    // This is the first commit of the import that waits for the disk. It also waits for all earlier commits.
    const isFinished = await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
      const isThere = await new TokenImportStore(tx, this.#parts.tenantId).finish(this.#parts.source, at);
      if (isThere)
        await recordInTransaction(tx, this.#parts.tenantId, 'system', importEvent(this.#parts.source, 'success', at));
      return isThere;
    });
    if (!isFinished) {
      throw new Error(
        'The database is behind this import, as after a crash, or another process is importing the file. Continue with --resume.',
      );
    }
  }

  async stop(at: ImportState): Promise<void> {
    await this.#parts.database.forTenant(this.#parts.tenantId, (tx) =>
      recordInTransaction(tx, this.#parts.tenantId, 'system', importEvent(this.#parts.source, 'failed', at)),
    );
  }

  /** Writes the entries. If PostgreSQL rejects a batch, it is halved until the rejected row is alone. */
  async #writeAll(entries: readonly Entry[], from: ImportState): Promise<ImportState> {
    try {
      return await this.#writeTogether(entries, from);
    } catch (error) {
      if (!(error instanceof StatementError) || !faultsOfRows.includes(error.sqlState.slice(0, 2))) throw error;
      const [only] = entries;
      if (only === undefined) throw error;
      if (entries.length === 1) {
        const reject = { code: 'refused-by-database', reason: error.message };
        return this.#writeTogether([{ record: only.record, prepared: { kind: 'reject', reject } }], from);
      }
      const middle = Math.ceil(entries.length / 2);
      return this.#writeAll(entries.slice(middle), await this.#writeAll(entries.slice(0, middle), from));
    }
  }

  async #writeTogether(entries: readonly Entry[], from: ImportState): Promise<ImportState> {
    const rows = entries.flatMap(({ prepared }) => (prepared.kind === 'row' ? [prepared.row] : []));
    const { to, rejectsLength } = await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
      // A running import stops if the tenant is deleted.
      await requireOpenTenant(tx, this.#parts.tenantId);
      const store = new TokenImportStore(tx, this.#parts.tenantId);
      await store.commitInBackground();
      const times =
        rows.length === 0
          ? []
          : await insertFreeIn(
              tx,
              { tenantId: this.#parts.tenantId, slot: countSlot(), setLimits: unlimitedSets },
              rows,
            );
      const taken = new Set(rows.filter((_, index) => times[index] === undefined));
      const rejects = entries.flatMap(({ record, prepared }) => {
        if (prepared.kind === 'reject') return [toRejected(record, prepared.reject)];
        if (prepared.kind === 'row' && taken.has(prepared.row)) {
          return [toRejected(record, { ...idTaken, id: prepared.row.id })];
        }
        return [];
      });
      const to = advance(from, entries, { imported: rows.length - taken.size, rejected: rejects.length });
      const rejectsLength = await this.#parts.rejects.write(rejects);
      if (!(await store.advance(this.#parts.source, from, to))) {
        throw new Error(importedElsewhere);
      }
      return { to, rejectsLength };
    });
    this.#parts.rejects.keep(rejectsLength);
    return to;
  }
}

export function toEntries(records: readonly FileRecord[], prepared: readonly PreparedRecord[]): Entry[] {
  return records.map((record, index) => {
    const one = prepared[index];
    if (one === undefined) throw new Error('A batch returned fewer results than it was given items.');
    return { record, prepared: one };
  });
}

export function toRejected(record: FileRecord, reject: ImportReject): RejectedRecord {
  const lastLine = record.line + record.lineCount - 1;
  return {
    line: record.line,
    ...(lastLine > record.line ? { last_line: lastLine } : {}),
    offset: record.offset,
    ...reject,
  };
}

export function advance(
  from: ImportState,
  entries: readonly Entry[],
  counts: { readonly imported: number; readonly rejected: number },
): ImportState {
  const last = entries.at(-1)?.record;
  return {
    position: last?.end ?? from.position,
    line: last === undefined ? from.line : last.line + last.lineCount - 1,
    imported: from.imported + counts.imported,
    rejected: from.rejected + counts.rejected,
  };
}

export function countDropped(prepared: readonly PreparedRecord[]): number {
  return prepared.filter((one) => one.kind === 'row' && one.hasLostCvc).length;
}
