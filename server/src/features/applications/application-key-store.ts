import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ApplicationKey } from './application.ts';

const columns = 'id, version, created_by as "createdBy", created_at as "createdAt", last_used_at as "lastUsedAt"';

/** How many keys an application has, and when one of them was last used, as far as that was noted. */
export interface KeyUse {
  readonly count: number;
  readonly lastUsedAt: Date | null;
}

export class ApplicationKeyStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(key: {
    id: ApplicationKeyId;
    applicationId: ApplicationId;
    secretHash: Buffer;
    createdBy: string | null;
  }): Promise<ApplicationKey> {
    const [row] = await this.#tx.query<ApplicationKey>({
      text: `insert into application_keys (tenant_id, id, application_id, version, secret_hash, created_by)
        values ($1, $2, $3, 1, $4, $5) returning ${columns}`,
      values: [this.#tenantId, key.id, key.applicationId, key.secretHash, key.createdBy],
    });
    if (row === undefined) throw new Error('An insert returned no row.');
    return row;
  }

  listOf(applicationIds: readonly ApplicationId[]): Promise<(ApplicationKey & { applicationId: ApplicationId })[]> {
    return this.#tx.query({
      text: `select application_id as "applicationId", ${columns} from application_keys
        where tenant_id = $1 and application_id = any($2) order by created_at desc, id desc`,
      values: [this.#tenantId, applicationIds],
    });
  }

  async countOf(applicationId: ApplicationId): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: 'select count(*)::integer as total from application_keys where tenant_id = $1 and application_id = $2',
      values: [this.#tenantId, applicationId],
    });
    return row?.total ?? 0;
  }

  /** Of every application that has keys. */
  listUses(): Promise<(KeyUse & { readonly applicationId: ApplicationId })[]> {
    return this.#tx.query({
      text: `select application_id as "applicationId", count(*)::integer as count, max(last_used_at) as "lastUsedAt"
        from application_keys where tenant_id = $1 group by application_id`,
      values: [this.#tenantId],
    });
  }

  async find(applicationId: ApplicationId, id: ApplicationKeyId): Promise<ApplicationKey | undefined> {
    const [row] = await this.#tx.query<ApplicationKey>({
      text: `select ${columns} from application_keys where tenant_id = $1 and application_id = $2 and id = $3`,
      values: [this.#tenantId, applicationId, id],
    });
    return row;
  }

  async delete(applicationId: ApplicationId, id: ApplicationKeyId): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from application_keys where tenant_id = $1 and application_id = $2 and id = $3 returning id',
      values: [this.#tenantId, applicationId, id],
    });
    return rows.length > 0;
  }

  /** All keys of the application but one; returns which they were. */
  async deleteOthers(applicationId: ApplicationId, id: ApplicationKeyId): Promise<ApplicationKeyId[]> {
    const rows = await this.#tx.query<{ id: ApplicationKeyId }>({
      text: 'delete from application_keys where tenant_id = $1 and application_id = $2 and id <> $3 returning id',
      values: [this.#tenantId, applicationId, id],
    });
    return rows.map((row) => row.id);
  }
}
