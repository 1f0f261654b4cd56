import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { Transaction } from '../../database/database.ts';
import { takeLock } from '../../database/transaction-lock.ts';
import { leafHashSql } from './audit-record.ts';
import { type SignedCheckpoint, toCheckpointJson } from './checkpoint.ts';
import { checkpointColumns, type CheckpointRow, type StoredCheckpoint, toCheckpoint } from './checkpoint-row.ts';

/** The part of a record that sealing needs. */
export interface Unsealed {
  readonly tenant_id: string;
  readonly sealing_order: string;
  readonly id: string;
  readonly entity_id: string;
  readonly entity_type: string;
  readonly created_at: number;
  readonly leaf: Buffer;
}

export interface NewCheckpoint extends SignedCheckpoint {
  readonly frontier: Buffer;
}

/** The number of sealed records of one kind in one minute. */
export interface MinuteCount {
  readonly tenantId: string;
  readonly entityType: string;
  readonly minute: number;
  readonly records: number;
}

/** A tenant whose newest checkpoint is invalid, and the sealing order of its first unsealed record. */
export interface SealStop {
  readonly tenantId: string;
  readonly orderFrom: string;
  /** A message written by the vault itself. It contains no values. */
  readonly reason: string;
}

interface SealRange {
  readonly from: string;
  readonly to: string;
  readonly oldestUnsealedAt: Date | null;
}

/** The interval at which an idle worker records that it is still running. */
const lookedEverySeconds = 10;

/** Thrown if sealing cannot continue until somebody has investigated. */
export class SealingError extends OperatorError {
  constructor(message: string) {
    super(message);
    this.name = 'SealingError';
  }
}

export function lostSealing(): SealingError {
  return new SealingError(
    'The table audit_sealing has lost its row. Insert it with the greatest order_to in audit_checkpoints.',
  );
}

/**
 * Returns the error for a position in the future. Without this check, nothing would ever be sealed and no record would
 * appear to be unsealed.
 */
function sealedAhead(): SealingError {
  return new SealingError(
    'The table audit_sealing is ahead of every transaction, so nothing is sealed. Run `strongroom audit verify` first. If the database was restored from another server, restart servers and workers. Otherwise somebody has changed the table: set it to the greatest order_to in audit_checkpoints.',
  );
}

/** Returns the reason why the sealing of a tenant is stopped. */
export function notSigned(tenantId: string): string {
  return `The newest checkpoint of tenant ${tenantId} is not what was signed. Run \`strongroom audit verify\`.`;
}

/** Returns the reason why a month is not dropped although it is past its retention. */
export function damagedMonth(tenantId: string, month: string): SealingError {
  return new SealingError(
    `The newest checkpoint of ${month} in the log of tenant ${tenantId} is not what was signed, so ${month} is not dropped. Run \`strongroom audit verify\`.`,
  );
}

const unsealedColumns = `r.tenant_id, r.sealing_order::text, r.id, r.entity_id, r.entity_type,
  (extract(epoch from r.created_at) * 1000)::float8 as created_at, ${leafHashSql} as leaf`;

export class SealStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Takes the lock until the end of the transaction. No two processes of the installation can hold it at the same time.
   */
  becomeSealer(): Promise<boolean> {
    return takeLock(this.#tx, 'seal-lock');
  }

  /**
   * Returns the range of records that can be sealed. All transactions before the oldest one still running have ended,
   * so no new record can appear before `to`.
   */
  async range(): Promise<SealRange> {
    const [row] = await this.#tx.query<SealRange & { readonly isAhead: boolean }>({
      name: 'seal-range',
      text: `select sealed_to::text as "from", audit_order(pg_snapshot_xmin(pg_current_snapshot()))::text as "to",
          sealed_to > audit_order(pg_snapshot_xmax(pg_current_snapshot())) as "isAhead",
          (select r.created_at from audit_records r where r.sealing_order >= sealed_to order by r.sealing_order limit 1)
            as "oldestUnsealedAt"
        from audit_sealing`,
    });
    if (row === undefined) throw lostSealing();
    const { isAhead, ...range } = row;
    if (isAhead) throw sealedAhead();
    return range;
  }

  /** Lists unsealed records, oldest first. A transaction is never split, so there may be more than `limit`. */
  listUnsealed(from: string, to: string, limit: number): Promise<Unsealed[]> {
    return this.#tx.query({
      name: 'seal-list',
      text: `select ${unsealedColumns} from audit_records r where r.sealing_order >= $1 and r.sealing_order < $2
        order by r.sealing_order fetch first $3 rows with ties`,
      values: [from, to, limit],
    });
  }

  /** Does the same as `listUnsealed` for one tenant whose sealing was stopped. */
  listWaiting({ tenantId, orderFrom }: SealStop, to: string, limit: number): Promise<Unsealed[]> {
    return this.#tx.query({
      text: `select ${unsealedColumns} from audit_records r
        where r.tenant_id = $1 and r.sealing_order >= $2 and r.sealing_order < $3
        order by r.sealing_order fetch first $4 rows with ties`,
      values: [tenantId, orderFrom, to, limit],
    });
  }

  listStops(): Promise<SealStop[]> {
    return this.#tx.query({
      name: 'seal-stops',
      text: `select tenant_id as "tenantId", order_from::text as "orderFrom", reason from audit_seal_stops order by stopped_at`,
    });
  }

  async insertStops(stops: readonly SealStop[]): Promise<void> {
    await this.#tx.query({
      text: `insert into audit_seal_stops (tenant_id, order_from, reason)
        select * from unnest($1::uuid[], $2::bigint[], $3::text[])`,
      values: [
        stops.map(({ tenantId }) => tenantId),
        stops.map(({ orderFrom }) => orderFrom),
        stops.map(({ reason }) => reason),
      ],
    });
  }

  async moveStop(tenantId: string, orderFrom: string): Promise<void> {
    await this.#tx.query({
      text: 'update audit_seal_stops set order_from = $2 where tenant_id = $1',
      values: [tenantId, orderFrom],
    });
  }

  async deleteStop(tenantId: string): Promise<void> {
    await this.#tx.query({ text: 'delete from audit_seal_stops where tenant_id = $1', values: [tenantId] });
  }

  /** Records that a sealer is running although it had nothing to do. */
  async noteLook(): Promise<void> {
    await this.#tx.query({
      name: 'seal-looked',
      text: `update audit_sealing set looked_at = now()
        where looked_at is null or looked_at < now() - make_interval(secs => ${lookedEverySeconds})`,
    });
  }

  /** Returns the newest checkpoint of each of these tenants that has one. */
  async findNewest(tenantIds: readonly string[]): Promise<Map<string, StoredCheckpoint>> {
    const rows = await this.#tx.query<CheckpointRow>({
      name: 'seal-newest',
      text: `select newest.* from unnest($1::uuid[]) as wanted(tenant_id) cross join lateral (
          select ${checkpointColumns} from audit_checkpoints c
          where c.tenant_id = wanted.tenant_id order by number desc limit 1) newest`,
      values: [tenantIds],
    });
    return new Map(rows.map((row) => [row.tenant_id, toCheckpoint(row)]));
  }

  /** Lists the newest checkpoint of every tenant. */
  async listNewest(): Promise<SignedCheckpoint[]> {
    const rows = await this.#tx.query<CheckpointRow>({
      text: `select distinct on (c.tenant_id) ${checkpointColumns} from audit_checkpoints c order by c.tenant_id, c.number desc`,
    });
    return rows.map(toCheckpoint);
  }

  /** Saves the results of one pass: its checkpoints, the counts, and the new position. */
  async save(made: {
    readonly checkpoints: readonly NewCheckpoint[];
    readonly counts: readonly MinuteCount[];
    readonly sealedTo: string;
  }): Promise<void> {
    await this.#tx.query({
      name: 'seal-save',
      text: `with moved as (
          update audit_sealing set sealed_to = $3, looked_at = now()
        ), counted as (
          insert into audit_counts (tenant_id, grain, bucket, entity_type, records)
          select tenant_id, grain, date_trunc(grain, to_timestamp(minute / 1000), 'UTC'), entity_type, sum(records)
          from json_to_recordset($2::json) as c(tenant_id uuid, entity_type text, minute float8, records bigint),
            unnest(array['minute', 'hour', 'day']) as grain
          group by 1, 2, 3, 4
          on conflict (tenant_id, grain, bucket, entity_type)
          do update set records = audit_counts.records + excluded.records
        )
        insert into audit_checkpoints (tenant_id, number, tree_size, month, order_to, root, frontier, sealed_at, key_version, signature)
        select tenant_id, number, tree_size, month, order_to, decode(root, 'base64'), decode(frontier, 'base64'), sealed_at,
          key_version, decode(signature, 'base64')
        from json_to_recordset($1::json) as c(tenant_id uuid, number bigint, tree_size bigint, month date, order_to bigint,
          root text, frontier text, sealed_at timestamptz, key_version integer, signature text)`,
      values: [
        JSON.stringify(made.checkpoints.map(toJsonRow)),
        JSON.stringify(made.counts.map(toCountRow)),
        made.sealedTo,
      ],
    });
  }
}

function toJsonRow(checkpoint: NewCheckpoint) {
  return { ...toCheckpointJson(checkpoint), frontier: checkpoint.frontier.toString('base64') };
}

function toCountRow({ tenantId, entityType, minute, records }: MinuteCount) {
  return { tenant_id: tenantId, entity_type: entityType, minute, records };
}
