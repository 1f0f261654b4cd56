import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Keyed hashes of the file and of the options it is read with. */
export interface ImportIdentity {
  readonly source: Buffer;
  readonly settings: Buffer;
}

/** The progress of an import. */
export interface ImportState {
  readonly position: number;
  readonly line: number;
  readonly imported: number;
  readonly rejected: number;
}

export interface StoredImport extends ImportState {
  readonly settings: Buffer;
  readonly finishedAt: Date | null;
}

export class TokenImportStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async find(source: Buffer): Promise<StoredImport | undefined> {
    const [row] = await this.#tx.query<StoredImport>({
      text: `select settings, position::float8, line::float8, imported::float8, rejected::float8, finished_at as "finishedAt"
        from token_imports where tenant_id = $1 and source = $2`,
      values: [this.#tenantId, source],
    });
    return row;
  }

  /** Starts an import. Returns false if it was started before, unless the file is to be imported again. */
  async begin({ source, settings }: ImportIdentity, isRepeated: boolean): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `insert into token_imports (tenant_id, source, settings) values ($1, $2, $3)
        on conflict (tenant_id, source) do update set settings = excluded.settings, position = 0, line = 0,
          imported = 0, rejected = 0, started_at = now(), moved_at = now(), finished_at = null
          where $4 returning 1`,
      values: [this.#tenantId, source, settings, isRepeated],
    });
    return rows.length === 1;
  }

  /**
   * Stores the new position. Returns false if another process has changed it in the meantime. This transaction must
   * then be rolled back.
   */
  async advance(source: Buffer, from: ImportState, to: ImportState): Promise<boolean> {
    const rows = await this.#tx.query({
      name: 'token-import-advance',
      text: `update token_imports set position = $4, line = $5, imported = $6, rejected = $7, moved_at = now()
        where tenant_id = $1 and source = $2 and position = $3 and finished_at is null returning 1`,
      values: [this.#tenantId, source, from.position, to.position, to.line, to.imported, to.rejected],
    });
    return rows.length === 1;
  }

  /**
   * Marks the import as finished. Returns false if the position is not the expected one: a crash of the database has
   * undone the last commits, or another process has changed the position.
   */
  async finish(source: Buffer, at: ImportState): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update token_imports set finished_at = now()
        where tenant_id = $1 and source = $2 and position = $3 and imported = $4 and finished_at is null returning 1`,
      values: [this.#tenantId, source, at.position, at.imported],
    });
    return rows.length === 1;
  }

  /** Returns the ids that are taken, including those of expired tokens that have not been removed yet. */
  async listTaken(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: 'select id from tokens where tenant_id = $1 and id = any($2)',
      values: [this.#tenantId, ids],
    });
    return rows.map(({ id }) => id);
  }

  /**
   * Commits without waiting for the disk. A crash of the database can then undo the last batches. Rows and position are
   * always undone together, so the import resumes before the lost batches. The last commit of the import waits until
   * all earlier ones are on disk.
   */
  async commitInBackground(): Promise<void> {
    await this.#tx.query({ text: 'set local synchronous_commit = off' });
  }
}
