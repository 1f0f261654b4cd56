import type { FileHandle } from 'node:fs/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { readRecords, type RecordBatch } from '../../platform/files/record-reader.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import { type BatchWriter, importedElsewhere, type WrittenBatch } from './batch-writer.ts';
import { importEvent } from './import-event.ts';
import type { PreparerPool } from './preparer-pool.ts';
import { type PreparedRecord, recordBytesMax } from './record-preparer.ts';
import { type ImportIdentity, type ImportState, TokenImportStore } from './token-import-store.ts';

const batchRecordsMax = 1_000;
const batchBytesMax = 4 * 1024 * 1024;
export const nothingYet: ImportState = { position: 0, line: 0, imported: 0, rejected: 0 };

export interface ImportReport extends ImportState {
  /** Tokens that came without the verification code that the file had for them. */
  readonly codesDropped: number;
  readonly isFinished: boolean;
  /** Lines that an earlier run had dealt with. */
  readonly resumedAt: number;
}

export interface ImportWish {
  /** Goes on where an earlier run stopped. */
  readonly isResumed: boolean;
  /** Imports a file once more that was imported already. */
  readonly isRepeated: boolean;
}

/** Brings a file into a tenant, batch by batch. A batch, its place in the file and its counts are one transaction. */
export class TokenImport {
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #tenantId: TenantId;

  constructor(parts: { database: Database; keyring: Keyring; tenantId: TenantId }) {
    this.#database = parts.database;
    this.#keyring = parts.keyring;
    this.#tenantId = parts.tenantId;
  }

  /** A plain hash of a file with few rows could be tried against every card number there is, so it is keyed. */
  async identify(fileDigest: Buffer, reading: string): Promise<ImportIdentity> {
    const keys = await this.#keyring.forTenant(this.#tenantId);
    return {
      source: keys.blindIndex('import', 'file', fileDigest.toString('hex')),
      settings: keys.blindIndex('import', 'settings', reading),
    };
  }

  /** Where to go on; undefined where the file is to be read from its beginning. Throws where the wish does not fit. */
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
        'This import was begun with another format, map or --drop-cvc. Resume it with what it was begun with.',
      );
    }
    return { state: found, isFinished };
  }

  /** Throws where another process has begun it since `findState` looked. */
  async begin(identity: ImportIdentity, { isRepeated }: Pick<ImportWish, 'isRepeated'>): Promise<void> {
    await this.#database.forTenant(this.#tenantId, async (tx) => {
      if (!(await new TokenImportStore(tx, this.#tenantId).begin(identity, isRepeated)))
        throw new Error(importedElsewhere);
      await recordInTransaction(tx, this.#tenantId, 'system', importEvent(identity.source, 'intent'));
    });
  }

  /**
   * Reads on from a state to the end, or until the signal. Batches are prepared ahead of the one that is being written, and
   * written in the order of the file.
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
      const keys = (await this.#keyring.forTenant(this.#tenantId)).share();
      const prepared = pool.prepare(batch, keys);
      // Looked at when it is this batch's turn; until then a failure must not count as one that nobody looks at.
      prepared.catch(() => undefined);
      ahead.push({ batch, prepared });
      if (ahead.length > 2 * pool.size) await writeNext();
    }
    while (ahead.length > 0 && !signal.aborted) await writeNext();
    await (signal.aborted ? writer.stop(state) : writer.finish(state));
    return { ...state, codesDropped, isFinished: !signal.aborted, resumedAt: from.line };
  }

  #inStore<T>(work: (store: TokenImportStore) => Promise<T>): Promise<T> {
    return this.#database.forTenant(this.#tenantId, (tx) => work(new TokenImportStore(tx, this.#tenantId)));
  }
}

/** From the beginning, rows that have no id and are in the vault already would come twice: nobody asked for that. */
const neverBegun =
  'No import of this file was begun in this tenant, or the file was changed since. Put it back as it was to go on. To import it from its beginning, leave --resume out; rows without an id that are imported already then come a second time.';

function alreadyImported({ line, imported }: ImportState): string {
  return `This file has been imported already: ${imported} tokens from ${line} lines. Importing it a second time would double what has no id; --again does it all the same.`;
}

function stoppedEarly({ line, imported }: ImportState): string {
  return `An import of this file stopped after line ${line}, with ${imported} tokens imported. Go on with --resume.`;
}
