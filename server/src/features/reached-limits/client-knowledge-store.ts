import type { Transaction } from '../../platform/database/database.ts';

/** More addresses than a tenant usually has in a day. Of more, only those of the last hours are read. */
const addressesMax = 10_000;

/** Reads which clients a tenant knows already. Row-level security limits it to the tenant of the transaction. */
export class ClientKnowledgeStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Lists the addresses in the tenant's log within a day, from the counters of the log. */
  async listAddresses(): Promise<string[]> {
    const rows = await this.#tx.query<{ value: string }>({
      name: 'addresses-of-a-day',
      text: `select distinct value from (select value from audit_facets
        where tenant_id = current_tenant_id() and field = 'source_address' and grain = 'hour'
          and bucket >= now() - interval '24 hours'
        order by bucket desc limit ${addressesMax}) newest`,
    });
    return rows.map(({ value }) => value);
  }

  /** Lists those of the ids that are stored proxies of the tenant. */
  async listProxies(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#tx.query<{ id: string }>({
      name: 'proxies-of-a-tenant',
      text: 'select id from stored_proxies where tenant_id = current_tenant_id() and id = any($1::uuid[])',
      values: [ids],
    });
    return rows.map(({ id }) => id);
  }
}
