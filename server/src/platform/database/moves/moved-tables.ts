import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';

/** Tables whose rows the command copies, because they differ in the other vault. */
export const copiedTables = ['tenant_keys', 'members', 'former_members'] as const;

/** Tables whose rows stay behind, and why. */
export const keptTables: Readonly<Record<string, string>> = {
  sessions: 'They end with the move. Routers do not know their keys, and they live for a day at most.',
  invitations: 'Their links lead to the other portal. People are invited again.',
  token_cvcs: 'Servers have the keys of verification codes in memory only. Codes live for an hour at most.',
  token_fingerprints: 'The transaction that adds a row removes it.',
  audit_seal_stops: 'A tenant whose sealing has stopped is not moved.',
  audit_stream_positions: 'The streams of the other cell begin where those of this one end.',
  audit_watched: 'Counts of the last minutes, for alerts. Counting begins again.',
  audit_alerts: 'Alerts that are in the log of the tenant. Those that are not yet are copied.',
  tenant_moves: 'Each vault has its own row about a move.',
};

/** Columns that the other vault cannot use. */
const leftOutColumns: Readonly<Record<string, readonly string[]>> = {
  // Verification codes live for an hour at most, and servers have their keys in memory only.
  token_intents: ['cvc'],
};

/** Columns that may differ after the move. */
const notComparedColumns: Readonly<Record<string, readonly string[]>> = {
  // Written without a record, and only a convenience.
  application_keys: ['last_used_at'],
  // Sweeps write them without a record, from the log.
  retention_sweeps: ['swept_at', 'use_swept_at'],
  tokens: ['last_use_at'],
  // The other vault signs what this one has signed.
  audit_checkpoints: ['key_version', 'signature'],
};

/** A table whose rows are replicated. */
export interface MovedTable {
  readonly name: string;
  /** The columns that are replicated. */
  readonly columns: readonly string[];
  /** True if some columns are left out. */
  readonly isPartial: boolean;
  readonly comparedColumns: readonly string[];
}

interface FoundTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isKeyedByTenant: boolean;
}

/** Lists the tables with rows of tenants, as the catalog has them. */
export function listTenantTables(admin: AdminSession): Promise<FoundTable[]> {
  return admin.query<FoundTable>(`select c.relname::text as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      exists (select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary
          and a.attname = case c.relname when 'tenants' then 'id' else 'tenant_id' end) as "isKeyedByTenant"
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and (c.relname = 'tenants'
        or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
    order by 1`);
}

/** Lists the tables that are replicated: all with rows of tenants, except those that are copied or kept. */
export async function listMovedTables(admin: AdminSession): Promise<MovedTable[]> {
  const others = new Set<string>([...copiedTables, ...Object.keys(keptTables)]);
  const tables = (await listTenantTables(admin)).filter(({ name }) => !others.has(name));
  const unfiltered = tables.find(({ isKeyedByTenant }) => !isKeyedByTenant);
  if (unfiltered !== undefined) {
    throw new OperatorError(
      `The primary key of ${unfiltered.name} lacks the tenant, so its rows cannot be replicated.`,
    );
  }
  return tables.map(({ name, columns }) => {
    const leftOut = leftOutColumns[name] ?? [];
    const replicated = columns.filter((column) => !leftOut.includes(column));
    const notCompared = notComparedColumns[name] ?? [];
    return {
      name,
      columns: replicated,
      isPartial: leftOut.length > 0,
      comparedColumns: replicated.filter((column) => !notCompared.includes(column)),
    };
  });
}

/** Returns the condition for the rows of one tenant. The id becomes part of SQL text, so it is validated once more. */
export function ofTenant(table: string, tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `${table === 'tenants' ? 'id' : 'tenant_id'} = '${tenantId}'`;
}
