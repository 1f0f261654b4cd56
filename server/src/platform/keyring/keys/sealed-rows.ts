import type { TenantId } from '../../../core/identity/ids.ts';
import type { SqlRow, Transaction } from '../../database/database.ts';
import { keyVersionOf } from '../sealing/sealed-record.ts';
import type { FieldBinding } from './tenant-keyring.ts';

/**
 * Returns a condition for every statement that writes sealed records. The statement fails if one of the versions in the
 * parameter is closed. The condition is a subquery, so it is evaluated once, regardless of the number of rows.
 */
export function keysAreOpen(parameter: number): string {
  return `(select require_open_keys($1, $${parameter}::integer[]))`;
}

/** Returns the distinct key versions of some records. */
export function keyVersionsOf(records: readonly Buffer[]): number[] {
  return [...new Set(records.map(keyVersionOf))];
}

/** A row with data encrypted with a tenant's data key. */
export interface SealedRow {
  /** The sort key of the row within its table. */
  readonly position: string;
  /** The sealed record. Null if it already has the requested version. */
  readonly sealed: Buffer | null;
  readonly binding: FieldBinding;
}

export interface FreshRecord {
  readonly position: string;
  readonly old: Buffer;
  readonly fresh: Buffer;
}

/** The operations that re-encryption needs on a table with sealed records. */
export interface SealedTable {
  readonly name: string;
  /**
   * Lists the next rows after a position, in order. Returns at most `limit` rows, fewer if their records are long, and
   * none at the end.
   */
  list(tx: Transaction, tenantId: TenantId, page: SealedPage): Promise<SealedRow[]>;
  /** Lists the same rows, but with only the key version of each. The version is null if a row has no record. */
  listVersions(tx: Transaction, tenantId: TenantId, page: Omit<SealedPage, 'version'>): Promise<RowVersion[]>;
  /** Replaces old records with new ones. A row that was changed or removed in the meantime is not touched. */
  replace(tx: Transaction, tenantId: TenantId, records: readonly FreshRecord[]): Promise<number>;
}

export interface RowVersion {
  readonly position: string;
  readonly version: number | null;
}

export interface SealedPage {
  readonly after: string;
  readonly limit: number;
  /** Rows with this version are returned without their record. */
  readonly version: number;
}

/** The size at which a page ends. The record that exceeds the limit is included. */
const pageBytesMax = 8 * 1024 * 1024;

/** Creates a sealed table from its names. They become part of SQL text, so they must be constants in the code. */
export function sealedTable<Row extends SqlRow & { readonly position: string }>(table: {
  readonly name: string;
  /**
   * The column that orders the rows of a tenant, SQL for the column as text, and SQL that converts a text (`?`) to its
   * value. The empty text must sort first.
   */
  readonly key: { readonly column: string; readonly toText: string; readonly fromText: string };
  readonly sealedColumn: string;
  /** The additional columns that the binding needs. */
  readonly columns: readonly string[];
  readonly bindingOf: (row: Row) => FieldBinding;
}): SealedTable {
  const { name, key, sealedColumn } = table;
  const more = table.columns.map((column) => `, ${column}`).join('');
  const nextRows = `where tenant_id = $1 and ${key.column} > ${key.fromText.replaceAll('?', '$2')} order by ${key.column}`;
  return {
    name,
    async list(tx, tenantId, { after, limit, version }) {
      const rows = await tx.query<Row & { readonly sealed: Buffer | null }>({
        text: `select * from (
            select page.*, sum(octet_length(sealed)) over (order by place rows between unbounded preceding and 1 preceding) as bytes_before from (
              select ${key.toText} as position${more}, row_number() over (order by ${key.column}) as place,
                case when key_version(${sealedColumn}) is distinct from $4 then ${sealedColumn} end as sealed
              from ${name} ${nextRows} limit $3) as page) as sized
          where coalesce(bytes_before, 0) < ${pageBytesMax} order by place`,
        values: [tenantId, after, limit, version],
      });
      return rows.map((row) => ({ position: row.position, sealed: row.sealed, binding: table.bindingOf(row) }));
    },
    listVersions(tx, tenantId, { after, limit }) {
      return tx.query<RowVersion>({
        text: `select ${key.toText} as position, key_version(${sealedColumn}) as version
          from ${name} ${nextRows} limit $3`,
        values: [tenantId, after, limit],
      });
    },
    async replace(tx, tenantId, records) {
      const changed = await tx.query({
        text: `update ${name} set ${sealedColumn} = r.fresh
          from unnest($2::text[], $3::bytea[], $4::bytea[]) as r(position, old, fresh)
          where tenant_id = $1 and ${key.column} = ${key.fromText.replaceAll('?', 'r.position')} and ${sealedColumn} = r.old
            and ${keysAreOpen(5)}
          returning 1`,
        values: [
          tenantId,
          records.map(({ position }) => position),
          records.map(({ old }) => old),
          records.map(({ fresh }) => fresh),
          keyVersionsOf(records.map(({ fresh }) => fresh)),
        ],
      });
      return changed.length;
    },
  };
}
