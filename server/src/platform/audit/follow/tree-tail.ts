import type { AuditRecord } from '../../../core/audit/record-text.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import { compareRecords, firstOrder, parseRecordText, recordTextSql } from '../seal/audit-record.ts';

/** A sealed record with its number among the leaves of its tenant's tree, counted from 0. */
export interface Leaf {
  readonly number: number;
  readonly record: AuditRecord;
}

/** The next part of a tenant's tree. */
export interface TreeSection {
  readonly leaves: readonly Leaf[];
  /** The number of leaves up to the end of the section. */
  readonly end: number;
  /** The number of leaves whose records are gone, because retention dropped their month. */
  readonly lost: number;
}

/** The number of checkpoints that are looked at in one read. A tenant with little traffic has a few records in each. */
const checkpointsMax = 100;

interface SpanRow {
  readonly size: number;
  readonly treeSize: number;
  readonly month: string;
  readonly orderFrom: string;
  readonly orderTo: string;
}

/**
 * Reads a tenant's sealed log by the numbers of its leaves. Unlike the order of sealing, these numbers mean the same in
 * any database that the tenant is moved or restored to.
 */
export class TreeTail {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /**
   * Reads the leaves after the first `position`, in order, up to the end of the checkpoint in which there are
   * `leavesMax` of them. Returns undefined at the end of the log.
   */
  async next(position: number, leavesMax: number): Promise<TreeSection | undefined> {
    const spans = await this.#listSpans(position, leavesMax);
    const last = spans.at(-1);
    if (last === undefined) return undefined;
    const leaves: Leaf[] = [];
    let lost = 0;
    for (const [index, records] of (await this.#listRecords(spans)).entries()) {
      const span = spans[index];
      if (span === undefined) break;
      const start = span.treeSize - span.size;
      lost += span.size - records.length;
      for (const [offset, record] of records.toSorted(compareRecords).entries()) {
        if (start + offset >= position) leaves.push({ number: start + offset, record });
      }
    }
    return { leaves, end: last.treeSize, lost };
  }

  /** Reads leaves by their numbers. Those whose records are gone are omitted. */
  async find(numbers: readonly number[]): Promise<Leaf[]> {
    const found: Leaf[] = [];
    const wanted = new Set(numbers);
    for (let rest = [...wanted].toSorted((a, b) => a - b); rest[0] !== undefined; ) {
      const section = await this.next(rest[0], 1);
      if (section === undefined) break;
      found.push(...section.leaves.filter(({ number }) => wanted.has(number)));
      rest = rest.filter((number) => number >= section.end);
    }
    return found;
  }

  /** Returns how many leaves were sealed before a time. The numbers of checkpoints have no gaps, so it bisects them. */
  async sizeAt(time: Date): Promise<number> {
    const [newest] = await this.#checkpoints('order by c.number desc limit 1', []);
    let [low, high] = [0, newest?.number ?? 0];
    let size = 0;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [checkpoint] = await this.#checkpoints('and c.number = $2', [middle]);
      if (checkpoint !== undefined && checkpoint.sealedAt < time) {
        low = middle;
        size = checkpoint.treeSize;
      } else high = middle - 1;
    }
    return size;
  }

  #checkpoints(condition: string, values: readonly number[]) {
    return this.#tx.query<{ number: number; treeSize: number; sealedAt: Date }>({
      text: `select c.number::float8 as number, c.tree_size::float8 as "treeSize", c.sealed_at as "sealedAt"
        from audit_checkpoints c where c.tenant_id = $1 ${condition}`,
      values: [this.#tenantId, ...values],
    });
  }

  /** Lists the checkpoints after a position, each with the range of its records. */
  async #listSpans(position: number, leavesMax: number): Promise<SpanRow[]> {
    const rows = await this.#tx.query<SpanRow>({
      name: 'tree-spans',
      text: `with before as (
          select c.tree_size, c.order_to from audit_checkpoints c where c.tenant_id = $1 and c.tree_size <= $2
          order by c.tree_size desc limit 1
        ), next as (
          select c.tree_size, c.order_to, c.month from audit_checkpoints c where c.tenant_id = $1 and c.tree_size > $2
          order by c.tree_size limit ${checkpointsMax}
        )
        select (tree_size - lag(tree_size, 1, coalesce((select tree_size from before), 0)) over by_size)::float8 as size,
          tree_size::float8 as "treeSize", month::text,
          (lag(order_to, 1, coalesce((select order_to from before), '${firstOrder}'::bigint)) over by_size)::text as "orderFrom",
          order_to::text as "orderTo"
        from next window by_size as (order by tree_size) order by tree_size`,
      values: [this.#tenantId, position],
    });
    const enough = rows.findIndex(({ treeSize }) => treeSize - position >= leavesMax);
    return enough < 0 ? rows : rows.slice(0, enough + 1);
  }

  /**
   * Reads the records of each checkpoint. They were sealed together, so they are near its end in sealing order: counting
   * backwards from there passes hardly any records of other tenants.
   */
  async #listRecords(spans: readonly SpanRow[]): Promise<AuditRecord[][]> {
    const rows = await this.#tx.query<{ place: number; text: string }>({
      name: 'tree-records',
      text: `select span.place::integer as place, found.text from unnest($2::bigint[], $3::bigint[], $4::date[], $5::bigint[])
          with ordinality as span(order_from, order_to, month, size, place)
        cross join lateral (
          select ${recordTextSql} as text from audit_records r
          where r.tenant_id = $1 and r.sealing_order >= span.order_from and r.sealing_order < span.order_to
            and r.created_at >= span.month::timestamp at time zone 'UTC'
            and r.created_at < (span.month + interval '1 month') at time zone 'UTC'
          order by r.sealing_order desc limit span.size) found`,
      values: [
        this.#tenantId,
        spans.map(({ orderFrom }) => orderFrom),
        spans.map(({ orderTo }) => orderTo),
        spans.map(({ month }) => month),
        spans.map(({ size }) => size),
      ],
    });
    const records: AuditRecord[][] = spans.map(() => []);
    for (const { place, text } of rows) {
      const record = parseRecordText(text);
      if (record === undefined) throw new Error('A record could not be read.');
      records[place - 1]?.push(record);
    }
    return records;
  }
}
