import { parseTenantId } from '../../../core/identity/ids.ts';
import type { Database, SqlValue, Transaction } from '../../database/database.ts';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { compareOrders, firstOrder, parseRecordText, recordTextSql } from '../seal/audit-record.ts';
import { checkpointColumns, type CheckpointRow, type StoredCheckpoint, toCheckpoint } from '../seal/checkpoint-row.ts';
import type { SealedRoot } from './anchor-comparison.ts';
import { listMonthsKept } from './log-months.ts';
import type { LogSection } from './log-verifier.ts';
import { entityTypes } from '../record/audit-event.ts';
import { listWaiting, type WaitingRecords } from '../seal/waiting-records.ts';

/** The number of checkpoints to hold in memory at a time. Each has about a thousand records. */
const checkpointsPerRead = 50;
const outsideMax = 100;

/** The columns that identify a record. */
export interface RecordKey {
  readonly entityType: string;
  readonly entityId: string;
  readonly createdAt: Date;
  readonly id: string;
}

/** Reads the sealed log of a tenant in the order of its tree. */
export class LogReader {
  readonly #database: Database;
  readonly #reads: 'every tenant' | 'one tenant';

  /**
   * The sealer's role reads the log of every tenant. A server reads in the scope of one tenant and cannot see any
   * other.
   */
  constructor(database: Database, reads: 'every tenant' | 'one tenant' = 'every tenant') {
    this.#database = database;
    this.#reads = reads;
  }

  /** Lists every tenant that has records or checkpoints, including deleted tenants. */
  async listTenants(): Promise<string[]> {
    const rows = await this.#database.forSealer((tx) =>
      tx.query<{ tenant_id: string }>({
        text: `${distinctTenants('audit_records')} union ${distinctTenants('audit_checkpoints')} order by 1`,
      }),
    );
    return rows.map((row) => row.tenant_id);
  }

  async newestCheckpoint(tenantId: string): Promise<StoredCheckpoint | undefined> {
    return (await this.#checkpoints(tenantId, 'order by c.number desc limit 1'))[0];
  }

  async checkpointBefore(tenantId: string, number: number): Promise<StoredCheckpoint | undefined> {
    return (await this.#checkpoints(tenantId, 'and c.number < $2 order by c.number desc limit 1', number))[0];
  }

  /** Returns the checkpoint in which the tree reached a size. */
  async checkpointOfSize(tenantId: string, treeSize: number): Promise<StoredCheckpoint | undefined> {
    return (await this.#checkpoints(tenantId, 'and c.tree_size >= $2 order by c.tree_size limit 1', treeSize))[0];
  }

  /** Returns the checkpoint that contains the records with this sealing order. */
  async checkpointOfOrder(tenantId: string, order: string): Promise<StoredCheckpoint | undefined> {
    return (await this.#checkpoints(tenantId, 'and c.order_to > $2 order by c.order_to limit 1', order))[0];
  }

  /** Returns those sealing orders whose records were in a month that is no longer in the database. */
  async listDropped(tenantId: string, orders: readonly string[]): Promise<Set<string>> {
    const months = new Map<string, string>();
    for (const order of orders) {
      const own = await this.checkpointOfOrder(tenantId, order);
      if (own !== undefined) months.set(order, own.month);
    }
    const isKept = await listMonthsKept(this.#database, [...months.values()]);
    return new Set([...months].flatMap(([order, month]) => (isKept.has(month) ? [] : [order])));
  }

  async findRoots(tenantId: string, numbers: readonly number[]): Promise<Map<number, SealedRoot>> {
    const rows = await this.#database.forSealer((tx) =>
      tx.query<{ number: string; tree_size: string; root: Buffer }>({
        text: 'select number, tree_size, root from audit_checkpoints where tenant_id = $1 and number = any($2)',
        values: [tenantId, numbers],
      }),
    );
    return new Map(rows.map((row) => [Number(row.number), { treeSize: Number(row.tree_size), root: row.root }]));
  }

  /** Reads the checkpoints after the given one, each with its records, `perRead` checkpoints at a time. */
  async *sections(tenantId: string, afterNumber = 0, perRead = checkpointsPerRead): AsyncGenerator<LogSection> {
    let before = afterNumber === 0 ? undefined : await this.checkpointBefore(tenantId, afterNumber + 1);
    for (;;) {
      const after = before?.number ?? 0;
      const checkpoints = await this.#checkpoints(
        tenantId,
        `and c.number > $2 order by c.number limit ${perRead}`,
        after,
      );
      const last = checkpoints.at(-1);
      if (last === undefined) return;
      const records = await this.recordsBetween(tenantId, before?.orderTo ?? firstOrder, last.orderTo);
      // This query must come last. If a month were dropped in between, its records would look missing.
      const isKept = await listMonthsKept(
        this.#database,
        checkpoints.map(({ month }) => month),
      );
      let taken = 0;
      for (const checkpoint of checkpoints) {
        const end = indexFrom(records, taken, checkpoint.orderTo);
        const own = records.slice(taken, end);
        taken = end;
        yield { checkpoint, records: own.length === 0 && !isKept.has(checkpoint.month) ? 'dropped' : own };
      }
      before = last;
    }
  }

  async recordsBetween(tenantId: string, from: string, to: string): Promise<AuditRecord[]> {
    return this.#records(
      tenantId,
      'r.tenant_id = $1 and r.sealing_order >= $2 and r.sealing_order < $3 order by r.sealing_order, r.id',
      [from, to],
    );
  }

  /**
   * Lists records that the sealer has passed without sealing them. The sealer never does that, so somebody added them
   * later.
   */
  async listOutside(tenantId: string): Promise<AuditRecord[]> {
    // This is one statement, so that the sealer cannot advance between the two lookups.
    return this.#records(
      tenantId,
      `r.tenant_id = $1 and r.sealing_order < coalesce(
          (select order_from from audit_seal_stops where tenant_id = $1), (select sealed_to from audit_sealing))
        and r.sealing_order >= coalesce(
          (select c.order_to from audit_checkpoints c where c.tenant_id = $1 order by c.number desc limit 1), $2::bigint)
        order by r.sealing_order limit ${outsideMax}`,
      [firstOrder],
    );
  }

  /** Lists the records that are not sealed yet, with the reason. */
  listWaiting(tenantId: string | undefined): Promise<WaitingRecords[]> {
    return listWaiting(this.#database, tenantId);
  }

  /** Finds a record. It searches the whole log unless the creation time is given. */
  async findRecord(tenantId: string, id: string, createdAt?: Date): Promise<AuditRecord | undefined> {
    const [found] =
      createdAt === undefined
        ? await this.#records(tenantId, 'r.tenant_id = $1 and r.id = $2 limit 1', [id])
        : await this.#records(
            tenantId,
            'r.tenant_id = $1 and r.entity_type = any($2) and r.created_at = $3 and r.id = $4 limit 1',
            // The time is not passed as ISO text, because PostgreSQL does not parse that outside of the years 1 to 9999.
            [entityTypes, createdAt, id],
          );
    return found;
  }

  /** Returns those records with the given keys that exist. */
  async findRecords(tenantId: string, keys: readonly RecordKey[]): Promise<AuditRecord[]> {
    return this.#records(
      tenantId,
      `r.tenant_id = $1 and (r.entity_type, r.created_at, r.id, r.entity_id) in (
        select * from unnest($2::text[], $3::timestamptz[], $4::uuid[], $5::text[]))`,
      [
        keys.map(({ entityType }) => entityType),
        keys.map(({ createdAt }) => createdAt.toISOString()),
        keys.map(({ id }) => id),
        keys.map(({ entityId }) => entityId),
      ],
    );
  }

  /** Returns true if the tenant exists or existed. The first record of a log is that of the tenant's creation. */
  async hasLog(tenantId: string): Promise<boolean> {
    const rows = await this.#database.forSealer((tx) =>
      tx.query({
        text: `(select 1 from audit_checkpoints where tenant_id = $1 limit 1)
          union all (select 1 from audit_records where tenant_id = $1 limit 1)`,
        values: [tenantId],
      }),
    );
    return rows.length > 0;
  }

  async #checkpoints(tenantId: string, condition: string, value?: number | string): Promise<StoredCheckpoint[]> {
    const rows = await this.#scopeOf(tenantId)((tx) =>
      tx.query<CheckpointRow>({
        text: `select ${checkpointColumns} from audit_checkpoints c where c.tenant_id = $1 ${condition}`,
        values: value === undefined ? [tenantId] : [tenantId, value],
      }),
    );
    return rows.map(toCheckpoint);
  }

  async #records(tenantId: string, condition: string, more: readonly SqlValue[]): Promise<AuditRecord[]> {
    const rows = await this.#scopeOf(tenantId)((tx) =>
      tx.query<{ text: string }>({
        text: `select ${recordTextSql} as text from audit_records r where ${condition}`,
        values: [tenantId, ...more],
      }),
    );
    return rows.map(({ text }) => {
      const record = parseRecordText(text);
      if (record === undefined) throw new Error('A record could not be read.');
      return record;
    });
  }

  #scopeOf(tenantId: string): <T>(work: (tx: Transaction) => Promise<T>) => Promise<T> {
    return this.#reads === 'every tenant'
      ? (work) => this.#database.forSealer(work)
      : (work) => this.#database.forTenant(parseTenantId(tenantId), work);
  }
}

/** Returns the index at which the records before `orderTo` end. The records must be sorted by order. */
function indexFrom(records: readonly AuditRecord[], start: number, orderTo: string): number {
  let index = start;
  while (index < records.length && compareOrders(records[index]?.sealing_order ?? '', orderTo) < 0) index += 1;
  return index;
}

/** Returns SQL that jumps from one tenant to the next along the index instead of reading every row. */
function distinctTenants(table: 'audit_records' | 'audit_checkpoints'): string {
  return `(with recursive found as (
      (select tenant_id from ${table} order by tenant_id limit 1)
      union all
      select (select t.tenant_id from ${table} t where t.tenant_id > found.tenant_id order by t.tenant_id limit 1)
      from found where found.tenant_id is not null
    ) select tenant_id from found where tenant_id is not null)`;
}
