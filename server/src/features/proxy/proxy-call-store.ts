import type { TenantId } from '../../core/identity/ids.ts';
import type { AuditRow } from '../../platform/audit/record/audit-event.ts';
import { insertAuditRecords } from '../../platform/audit/record/audit-statement.ts';
import { isClosed } from '../../platform/database/closed-tenant-sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { TenantBatcher } from '../../platform/database/tenant-batcher.ts';

/**
 * A call as written before anything is decrypted: the open call, the record of the intent, and one record for each
 * token used.
 */
export interface BeginningCall {
  readonly id: string;
  readonly destination: string;
  readonly records: readonly AuditRow[];
}

const beginText = `with opened as (
    insert into proxy_calls (tenant_id, id, destination)
    select $1::uuid, call.id, call.destination from json_to_recordset($2::json) as call(id uuid, destination text)
  )
  ${insertAuditRecords(3)}`;

// The process that deletes the row writes the outcome, so there is exactly one.
const endText = `with closed as (
    delete from proxy_calls where tenant_id = $1 and id = any($2::uuid[]) returning id
  )
  ${insertAuditRecords(3, 'join closed on closed.id::text = record.entity_id')}`;

/** Records the start and the end of calls in one statement each, batched with other calls of the tenant. */
export class ProxyCallStore {
  readonly #beginnings: TenantBatcher<BeginningCall, true>;
  readonly #ends: TenantBatcher<AuditRow, true>;

  constructor(database: Database) {
    const run = async (tenantId: TenantId, name: string, text: string, values: [string | string[], string]) => {
      await database.runForTenant(tenantId, { name, text, values: [tenantId, ...values] });
    };
    this.#beginnings = new TenantBatcher({
      name: 'proxy-begin',
      meter: database.batches,
      itemsMax: 50,
      queueMax: 10_000,
      run: async (tenantId, calls) => {
        const rows = calls.map(({ id, destination }) => ({ id, destination }));
        const records = calls.flatMap((call) => call.records);
        await run(tenantId, 'proxy-begin', beginText, [JSON.stringify(rows), JSON.stringify(records)]);
        return calls.map(() => true as const);
      },
    });
    this.#ends = new TenantBatcher({
      name: 'proxy-end',
      meter: database.batches,
      itemsMax: 200,
      queueMax: 10_000,
      run: async (tenantId, records) => {
        const ids = records.map((record) => record.entity_id);
        await run(tenantId, 'proxy-end', endText, [ids, JSON.stringify(records)]);
        return records.map(() => true as const);
      },
    });
  }

  /** Records the start of a call. Resolves once it is durable. */
  async begin(tenantId: TenantId, call: BeginningCall): Promise<void> {
    await this.#beginnings.add(tenantId, call);
  }

  /** Records the end of the call that the record names. */
  async end(tenantId: TenantId, record: AuditRow): Promise<void> {
    await this.#ends.add(tenantId, record);
  }
}

export interface OpenCall {
  readonly tenantId: TenantId;
  readonly id: string;
}

/** Lists open calls of all tenants, inside `forSystem`: those in progress, and those left by dead servers. */
export async function listOpenCalls(
  tx: Transaction,
  options: { readonly olderThanSeconds: number; readonly limit: number },
): Promise<OpenCall[]> {
  return tx.query<OpenCall>({
    text: `select tenant_id as "tenantId", id from proxy_calls
      where started_at < now() - make_interval(secs => $1)
        and not ${isClosed('proxy_calls.tenant_id')}
      order by started_at limit $2`,
    values: [options.olderThanSeconds, options.limit],
  });
}

/** Closes an open call and returns its destination, or undefined if another process has already closed it. */
export async function closeCall(tx: Transaction, { tenantId, id }: OpenCall): Promise<string | undefined> {
  const [row] = await tx.query<{ destination: string }>({
    text: 'delete from proxy_calls where tenant_id = $1 and id = $2 returning destination',
    values: [tenantId, id],
  });
  return row?.destination;
}
