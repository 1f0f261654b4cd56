import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ImportPlan } from './import-plan.ts';

/** The file and the options it is read with, both as keyed hashes. */
export interface ImportIdentity {
  readonly source: Buffer;
  readonly settings: Buffer;
}

/** How far an import has come. */
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

/** The home database may hold tokens too: what it has written is not how far the import is. */
const partOf = `sha256('part'::bytea || $2)`;

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

  /** False if it was started before, unless it is to be imported again. */
  async begin({ source, settings }: ImportIdentity, isRepeated: boolean): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `insert into token_imports (tenant_id, source, settings) values ($1, $2, $3)
        on conflict (tenant_id, source) do update set settings = excluded.settings, position = 0, line = 0,
          imported = 0, rejected = 0, started_at = now(), moved_at = now(), finished_at = null, planned = null
          where $4 returning 1`,
      values: [this.#tenantId, source, settings, isRepeated],
    });
    return rows.length === 1;
  }

  /** False if another process has moved it in the meantime: this transaction must then be rolled back. */
  async advance(source: Buffer, from: ImportState, to: ImportState): Promise<boolean> {
    const rows = await this.#tx.query({
      name: 'token-import-advance',
      text: `update token_imports set position = $4, line = $5, imported = $6, rejected = $7, moved_at = now()
        where tenant_id = $1 and source = $2 and position = $3 and finished_at is null returning 1`,
      values: [this.#tenantId, source, from.position, to.position, to.line, to.imported, to.rejected],
    });
    return rows.length === 1;
  }

  /** False if it is not there: a crash of the database has taken back the end, or another process has moved it. */
  async finish(source: Buffer, at: ImportState): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update token_imports set finished_at = now()
        where tenant_id = $1 and source = $2 and position = $3 and imported = $4 and finished_at is null returning 1`,
      values: [this.#tenantId, source, at.position, at.imported],
    });
    return rows.length === 1;
  }

  /**
   * Says what the next batch will write, in place of the plan that is known. False if another process has moved the import or made a
   * plan of its own in the meantime: it may have written rows by that.
   */
  async plan(source: Buffer, from: ImportState, plan: ImportPlan, knownId: string | undefined): Promise<boolean> {
    const rows = await this.#tx.query({
      name: 'token-import-plan',
      text: `update token_imports set planned = $4::json
        where tenant_id = $1 and source = $2 and position = $3 and planned ->> 'id' is not distinct from $5
          and finished_at is null returning 1`,
      values: [this.#tenantId, source, from.position, JSON.stringify(plan), knownId ?? null],
    });
    return rows.length === 1;
  }

  async findPlan(source: Buffer): Promise<ImportPlan | undefined> {
    const [row] = await this.#tx.query<{ planned: ImportPlan | null }>({
      text: 'select planned from token_imports where tenant_id = $1 and source = $2 and finished_at is null',
      values: [this.#tenantId, source],
    });
    return row?.planned ?? undefined;
  }

  /** The lines of a plan that this database has written; held until the commit. */
  async listWritten(source: Buffer, planId: string): Promise<number[]> {
    const [row] = await this.#tx.query<{ lines: number[] }>({
      name: 'token-import-written',
      text: `select planned -> 'lines' as lines from token_imports
        where tenant_id = $1 and source = ${partOf} and planned ->> 'part' = $3 for no key update`,
      values: [this.#tenantId, source, planId],
    });
    return row?.lines ?? [];
  }

  async noteWritten(source: Buffer, planId: string, lines: readonly number[]): Promise<void> {
    await this.#tx.query({
      name: 'token-import-note-written',
      text: `insert into token_imports (tenant_id, source, settings, planned)
        values ($1, ${partOf}, '', json_build_object('part', $3::text, 'lines', $4::json))
        on conflict (tenant_id, source) do update set planned = excluded.planned, moved_at = now()`,
      values: [this.#tenantId, source, planId, JSON.stringify(lines)],
    });
  }

  /** Those of the ids whose tokens no application has created. */
  async listWithoutCreator(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: 'select id from tokens where tenant_id = $1 and id = any($2) and created_by is null',
      values: [this.#tenantId, ids],
    });
    return rows.map(({ id }) => id);
  }

  /** The ids that are taken, including those of expired tokens that have not been removed yet. */
  async listTaken(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: 'select id from tokens where tenant_id = $1 and id = any($2)',
      values: [this.#tenantId, ids],
    });
    return rows.map(({ id }) => id);
  }

  /**
   * Commits without waiting for the disk. A crash of the database then takes back the end of the import, rows and
   * position together, and the import continues before it; the last commit waits for everything before it.
   */
  async commitInBackground(): Promise<void> {
    await this.#tx.query({ text: 'set local synchronous_commit = off' });
  }
}
