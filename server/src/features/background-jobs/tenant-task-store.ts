import type { Transaction } from '../../platform/database/database.ts';

/** The jobs of one task that are not done. */
export interface TenantTask {
  readonly task: string;
  /** False for jobs that belong to no tenant, such as regular clean-ups. */
  readonly isOfTenant: boolean;
  readonly waiting: number;
  readonly running: number;
  /** For how long the oldest due job has been waiting for a worker. */
  readonly lagSeconds: number;
}

/** Reads what the tenant of a transaction may know of background jobs. */
export class TenantTaskStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  list(): Promise<TenantTask[]> {
    return this.#tx.query<TenantTask>({
      name: 'list-tenant-jobs',
      text: `select task, of_tenant as "isOfTenant", waiting, running, lag_seconds as "lagSeconds"
        from list_tenant_jobs()`,
    });
  }
}
