import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import { checkpointColumns, type CheckpointRow, type StoredCheckpoint, toCheckpoint } from '../seal/checkpoint-row.ts';

/**
 * Returns a condition with two lookups, each on its own index: one after the sealer's position, and one in the logs of
 * tenants whose sealing was stopped.
 */
const hasNoneUnsealed = (condition: string) => `not exists (
    select from audit_records r, audit_sealing s where r.sealing_order >= s.sealed_to and ${condition})
  and not exists (select from audit_seal_stops stop join audit_records r on r.tenant_id = stop.tenant_id
    where r.sealing_order >= stop.order_from and ${condition})`;

/** The months that have a partition. */
const months = `(select case when child.relname ~ '^audit_records_[0-9]{4}_[0-9]{2}$'
    then to_date(right(child.relname, 7), 'YYYY_MM') end as month
  from pg_inherits join pg_class child on child.oid = inhrelid
  where inhparent = 'public.audit_records'::regclass) months`;

export class RetentionStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Lists the months that are past their retention and whose records are all sealed, oldest first. */
  async listDroppable(monthsKept: number): Promise<string[]> {
    const rows = await this.#tx.query<{ month: string }>({
      text: `select month::text from ${months}
        where month < date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1)
          and ${hasNoneUnsealed(`r.created_at >= month::timestamp at time zone 'UTC'
            and r.created_at < (month + interval '1 month') at time zone 'UTC'`)}
        order by month`,
      values: [monthsKept],
    });
    return rows.map(({ month }) => month);
  }

  /** Finds the oldest month that is past its retention, sealed or not, and how long it has been, in seconds. */
  async findOldestPast(monthsKept: number): Promise<{ readonly month: string; readonly seconds: number } | undefined> {
    const [row] = await this.#tx.query<{ month: string; seconds: number }>({
      name: 'audit-oldest-past',
      text: `select month::text, seconds::float8 from (
          select month, extract(epoch from now() at time zone 'UTC' - (month + make_interval(months => $1::integer + 1))) as seconds
          from ${months}) past
        where seconds > 0 order by month limit 1`,
      values: [monthsKept],
    });
    return row;
  }

  /**
   * Lists the newest checkpoint of the month for each tenant that has one. Those that have moved to another cell are left
   * out: their log goes on there, so that no removal can be recorded here.
   */
  async listNewestIn(month: string): Promise<StoredCheckpoint[]> {
    const rows = await this.#tx.query<CheckpointRow>({
      text: `select distinct on (c.tenant_id) ${checkpointColumns} from audit_checkpoints c where c.month = $1
          and not exists (select from tenant_moves m
            where m.tenant_id = c.tenant_id and m.direction = 'out' and m.decided_at is not null)
        order by c.tenant_id, c.number desc`,
      values: [month],
    });
    return rows.map(toCheckpoint);
  }

  /**
   * Lists the details of a tenant's records about the removal of a month. The database owner may have forged any of
   * them.
   */
  async listRemovals(tenantId: TenantId, month: string): Promise<(string | null)[]> {
    const rows = await this.#tx.query<{ details: string | null }>({
      text: `select details from audit_records
        where tenant_id = $1 and entity_id = $2 and entity_type = 'log' and operation = 'delete'`,
      values: [tenantId, month],
    });
    return rows.map(({ details }) => details);
  }

  async isRemovalSealed(month: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select 1 where ${hasNoneUnsealed(`r.entity_id = $1 and r.entity_type = 'log' and r.operation = 'delete'`)}`,
      values: [month],
    });
    return rows.length > 0;
  }

  /** Drops a month. Checkpoints are kept, because verification of the remaining log starts from them. */
  async drop(month: string): Promise<void> {
    for (const counters of ['audit_counts', 'audit_facets']) {
      await this.#tx.query({
        text: `delete from ${counters} where bucket >= $1::date::timestamp at time zone 'UTC'
          and bucket < ($1::date + interval '1 month') at time zone 'UTC'`,
        values: [month],
      });
    }
    await this.#tx.query({ text: 'select drop_audit_partition($1)', values: [month] });
  }
}
