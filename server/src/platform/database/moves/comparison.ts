import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { type MovedTable, ofTenant } from './moved-tables.ts';

/** The number of rows and a digest that does not depend on their order. */
interface Digest {
  readonly rows: string;
  readonly digest: string;
}

export interface Comparison {
  readonly tables: number;
  readonly rows: number;
}

/** The part of the log to compare: records from a sealing order on, or before it. */
export interface LogPart {
  readonly side: 'from' | 'before';
  readonly order: string;
}

const log = 'audit_records';

/** Compares the rows of a tenant in both databases, table by table. Throws if any table differs. */
export async function compareTables(
  ends: { readonly source: AdminSession; readonly target: AdminSession },
  { tenantId, tables, part }: { tenantId: TenantId; tables: readonly MovedTable[]; part: LogPart | undefined },
): Promise<Comparison> {
  const differing: string[] = [];
  let rows = 0;
  for (const table of tables) {
    const text = digestText(table, tenantId, part);
    const [there, here] = await Promise.all([ends.source.one<Digest>(text), ends.target.one<Digest>(text)]);
    rows += Number(there.rows);
    if (there.rows !== here.rows) differing.push(`${table.name} (${there.rows} and ${here.rows} rows)`);
    else if (there.digest !== here.digest) differing.push(`${table.name} (other contents)`);
  }
  if (differing.length > 0) {
    throw new OperatorError(
      `Both cells differ in ${differing.join(', ')}. The tenant stays where it is. Run the command again; if that does not ` +
        'help, cancel the move and begin again.',
    );
  }
  return { tables: tables.length, rows };
}

/** Compares the records of the log before a sealing order, which nobody can change any more. */
export function compareSettledLog(
  ends: { readonly source: AdminSession; readonly target: AdminSession },
  { tenantId, tables, order }: { tenantId: TenantId; tables: readonly MovedTable[]; order: string },
): Promise<Comparison> {
  return compareTables(ends, {
    tenantId,
    tables: tables.filter(({ name }) => name === log),
    part: { side: 'before', order },
  });
}

function digestText({ name, comparedColumns }: MovedTable, tenantId: TenantId, part: LogPart | undefined): string {
  if (part !== undefined && !/^-?\d{1,20}$/.test(part.order)) throw new TypeError('A sealing order is a number.');
  const ofLog = name === log && part !== undefined;
  const condition = ofLog ? ` and sealing_order ${part.side === 'from' ? '>=' : '<'} ${part.order}` : '';
  return `select count(*)::text as rows,
      coalesce(sum(hashtextextended(row(${comparedColumns.join(', ')})::text, 0)::numeric), 0)::text as digest
    from ${name} where ${ofTenant(name, tenantId)}${condition}`;
}
