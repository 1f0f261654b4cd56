import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** The progress of re-encrypting one table of a tenant. */
export interface ReencryptionState {
  readonly position: string;
  readonly rowsRead: number;
  readonly rowsChanged: number;
  /** The number of rows that no key can decrypt. */
  readonly rowsUnreadable: number;
  readonly isFinished: boolean;
  readonly targetVersion: number;
}

/** The newest re-encryption of a tenant, over all of its tables. */
export interface ReencryptionProgress {
  readonly targetVersion: number;
  readonly startedAt: Date;
  /** Null until every table is done. */
  readonly finishedAt: Date | null;
  readonly rowsRead: number;
  readonly rowsChanged: number;
  readonly rowsUnreadable: number;
}

export interface ReencryptionTask {
  readonly tenantId: TenantId;
  readonly source: string;
  readonly targetVersion: number;
}

/** The result of one page of rows. */
export interface ReencryptionStep {
  readonly to: string;
  readonly read: number;
  readonly changed: number;
  readonly unreadable: number;
  readonly isLast: boolean;
}

const columns = `position, rows_read::float8 as "rowsRead", rows_changed::float8 as "rowsChanged",
  rows_unreadable::float8 as "rowsUnreadable", finished_at is not null as "isFinished", target_version as "targetVersion"`;

export class ReencryptionStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Returns the position to continue from. It is the beginning if no re-encryption with this version has been started.
   */
  async begin({ tenantId, source, targetVersion }: ReencryptionTask): Promise<ReencryptionState> {
    await this.#tx.query({
      text: `insert into reencryptions (tenant_id, source, target_version) values ($1, $2, $3)
        on conflict (tenant_id, source) do update
          set target_version = excluded.target_version, position = '', rows_read = 0, rows_changed = 0, rows_unreadable = 0,
            started_at = now(), finished_at = null
          where reencryptions.target_version < excluded.target_version`,
      values: [tenantId, source, targetVersion],
    });
    const [state] = await this.#tx.query<ReencryptionState>({
      text: `select ${columns} from reencryptions where tenant_id = $1 and source = $2`,
      values: [tenantId, source],
    });
    if (state === undefined) throw new Error('A re-encryption that was started cannot be found.');
    return state;
  }

  /**
   * Returns undefined if there was no re-encryption. A table that has not been reached has no row, or a row of an
   * earlier re-encryption.
   */
  async findProgress(tenantId: TenantId, sources: readonly string[]): Promise<ReencryptionProgress | undefined> {
    const [row] = await this.#tx.query<ReencryptionProgress>({
      text: `select target_version as "targetVersion", min(started_at) as "startedAt",
          case when count(finished_at) = cardinality($2::text[]) then max(finished_at) end as "finishedAt",
          sum(rows_read)::float8 as "rowsRead", sum(rows_changed)::float8 as "rowsChanged",
          sum(rows_unreadable)::float8 as "rowsUnreadable"
        from reencryptions where tenant_id = $1 and source = any($2) group by target_version order by target_version desc limit 1`,
      values: [tenantId, sources],
    });
    return row;
  }

  /** Resets the position, so that the next run starts from the beginning. */
  async restart({ tenantId, source, targetVersion }: ReencryptionTask): Promise<void> {
    await this.#tx.query({
      text: `update reencryptions set position = '', rows_read = 0, rows_changed = 0, rows_unreadable = 0, finished_at = null
        where tenant_id = $1 and source = $2 and target_version = $3`,
      values: [tenantId, source, targetVersion],
    });
  }

  /** Advances from a position. Returns false if another run has already done so. */
  async advance(
    { tenantId, source, targetVersion }: ReencryptionTask,
    from: string,
    step: ReencryptionStep,
  ): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update reencryptions set position = $5, rows_read = rows_read + $6, rows_changed = rows_changed + $7,
          rows_unreadable = rows_unreadable + $8, finished_at = case when $9 then now() end
        where tenant_id = $1 and source = $2 and target_version = $3 and position = $4 and finished_at is null returning 1`,
      values: [tenantId, source, targetVersion, from, step.to, step.read, step.changed, step.unreadable, step.isLast],
    });
    return rows.length > 0;
  }
}
