import type { FileHandle } from 'node:fs/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { readRecords, type RecordBatch } from '../../platform/files/record-reader.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { type BatchWriter, importedElsewhere, type WrittenBatch } from './batch-writer.ts';
import { importEvent } from './import-event.ts';
import type { PreparerPool } from './preparer-pool.ts';
import { type PreparedRecord, recordBytesMax } from './record-preparer.ts';
import { type ImportIdentity, type ImportState, TokenImportStore } from './token-import-store.ts';

const batchRecordsMax = 1_000;
const batchBytesMax = 4 * 1024 * 1024;
export const nothingYet: ImportState = { position: 0, line: 0, imported: 0, rejected: 0 };

export interface ImportReport extends ImportState {
  /** The number of tokens imported without the verification code that the file had for them. */
  readonly codesDropped: number;
  readonly isFinished: boolean;
  /** The number of lines processed by an earlier run. */
  readonly resumedAt: number;
}

export interface ImportWish {
  /** True if the import continues an earlier run. */
  readonly isResumed: boolean;
  /** True if a file that has already been imported is imported again. */
  readonly isRepeated: boolean;
}

interface TokenImportParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly tenantId: TenantId;
}

/**
 * Imports a file into a tenant, batch by batch. A batch, its position in the file and its counts are written in one
 * transaction.
 */
export class TokenImport {
  readonly #parts: TokenImportParts;

  constructor(parts: TokenImportParts) {
    this.#parts = parts;
  }

  /**
   * Returns the identity of a file. The hash is keyed, because a plain hash of a file with few rows could be compared
   * with the hash of every possible card number.
   */
  async identify(fileDigest: Buffer, reading: string): Promise<ImportIdentity> {
    const keys = await this.#parts.keyring.forTenant(this.#parts.tenantId);
    return {
      source: keys.blindIndex('import', 'file', fileDigest.toString('hex')),
      settings: keys.blindIndex('import', 'settings', reading),
    };
  }

  /**
   * Returns the state to continue from, or undefined if the file is to be read from the start. Throws if the options do
   * not match.
   */
  async findState(
    identity: ImportIdentity,
    wish: ImportWish,
  ): Promise<{ state: ImportState; isFinished: boolean } | undefined> {
    const found = await this.#inStore((store) => store.find(identity.source));
    if (found === undefined && wish.isResumed) throw new Error(neverBegun);
    if (found === undefined || wish.isRepeated) return undefined;
    const isFinished = found.finishedAt !== null;
    if (!wish.isResumed) throw new Error(isFinished ? alreadyImported(found) : stoppedEarly(found));
    if (!isFinished && !found.settings.equals(identity.settings)) {
      throw new Error(
        'This import was started with a different format, map, --drop-cvc or --vouch-for-views. Resume it with the same options.',
      );
    }
    return { state: found, isFinished };
  }

  /** Throws if another process has started the import since `findState` ran. */
  async begin(identity: ImportIdentity, { isRepeated }: Pick<ImportWish, 'isRepeated'>): Promise<void> {
    await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
      if (!(await new TokenImportStore(tx, this.#parts.tenantId).begin(identity, isRepeated)))
        throw new Error(importedElsewhere);
      await recordInTransaction(tx, this.#parts.tenantId, 'system', importEvent(identity.source, 'intent'));
    });
  }

  /**
   * Reads from a state to the end, or until the signal is aborted. Batches are prepared ahead of the one being written,
   * and are written in the order of the file.
   */
  async run(
    file: FileHandle,
    parts: { readonly pool: PreparerPool; readonly writer: BatchWriter; readonly hasQuotes: boolean },
    options: {
      readonly from: ImportState;
      readonly headerEnd: { readonly offset: number; readonly lines: number };
      readonly signal: AbortSignal;
      readonly onProgress: (state: ImportState) => void;
    },
  ): Promise<ImportReport> {
    const { pool, writer } = parts;
    const { from, headerEnd, signal } = options;
    let state = from;
    let codesDropped = 0;
    const ahead: { batch: RecordBatch; prepared: Promise<readonly PreparedRecord[]> }[] = [];
    const writeNext = async () => {
      const next = ahead.shift();
      if (next === undefined) return;
      const written: WrittenBatch = await writer.write(next.batch.records, await next.prepared, state);
      state = written.state;
      codesDropped += written.codesDropped;
      options.onProgress(state);
    };
    const batches = readRecords(file, {
      offset: Math.max(from.position, headerEnd.offset),
      linesBefore: Math.max(from.line, headerEnd.lines),
      hasQuotes: parts.hasQuotes,
      recordBytesMax,
      batchRecordsMax,
      batchBytesMax,
    });
    for await (const batch of batches) {
      if (signal.aborted) break;
      const keys = (await this.#parts.keyring.forTenant(this.#parts.tenantId)).share();
      const prepared = pool.prepare(batch, keys);
      // The promise is awaited when this batch is due. Until then, a failure must not count as unhandled.
      prepared.catch(() => undefined);
      ahead.push({ batch, prepared });
      if (ahead.length > 2 * pool.size) await writeNext();
    }
    while (ahead.length > 0 && !signal.aborted) await writeNext();
    await (signal.aborted ? writer.stop(state) : writer.finish(state));
    return { ...state, codesDropped, isFinished: !signal.aborted, resumedAt: from.line };
  }

  #inStore<T>(work: (store: TokenImportStore) => Promise<T>): Promise<T> {
    return this.#parts.database.forTenant(this.#parts.tenantId, (tx) =>
      work(new TokenImportStore(tx, this.#parts.tenantId)),
    );
  }
}

/**
 * An import from the start would duplicate rows without an id that are already in the vault. The user did not ask for
 * that.
 */
const neverBegun =
  'No import of this file was started in this tenant, or the file has changed since. To continue, restore the file. To import it from the start, omit --resume; rows without an id that were already imported are then imported again.';

function alreadyImported({ line, imported }: ImportState): string {
  return `This file has already been imported: ${imported} tokens from ${line} lines. Importing it again would duplicate rows without an id; use --again to do so anyway.`;
}

function stoppedEarly({ line, imported }: ImportState): string {
  return `An import of this file stopped after line ${line}, with ${imported} tokens imported. Continue with --resume.`;
}
