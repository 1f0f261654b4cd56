import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Authority } from '../members/index.ts';
import type { ApplicationKey } from './application.ts';

const columns = `id, version, created_by as "createdBy", created_at as "createdAt", last_used_at as "lastUsedAt",
  pending_hash is not null as "awaitsApproval"`;

/** The number of keys of an application, and the last recorded use of any of them. */
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
    /** Replaces `secretHash` when the key is approved. */
    pendingHash: Buffer | null;
    createdBy: string | null;
    authority: Authority;
  }): Promise<ApplicationKey> {
    const [row] = await this.#tx.query<ApplicationKey>({
      text: `insert into application_keys (tenant_id, id, application_id, version, secret_hash, created_by, granted_as, granted_by,
          pending_hash)
        values ($1, $2, $3, 1, $4, $5, $6, $7, $8) returning ${columns}`,
      values: [
        this.#tenantId,
        key.id,
        key.applicationId,
        key.secretHash,
        key.createdBy,
        key.authority.as,
        key.authority.by,
        key.pendingHash,
      ],
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

  /** Returns the key use of every application that has keys. */
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

  /**
   * Activates a pending key. It works on every server as soon as this commits. Returns false if no such key is pending.
   */
  async release(applicationId: ApplicationId, id: ApplicationKeyId): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update application_keys set secret_hash = pending_hash, pending_hash = null
        where tenant_id = $1 and application_id = $2 and id = $3 and pending_hash is not null returning id`,
      values: [this.#tenantId, applicationId, id],
    });
    return rows.length > 0;
  }

  async delete(applicationId: ApplicationId, id: ApplicationKeyId): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from application_keys where tenant_id = $1 and application_id = $2 and id = $3 returning id',
      values: [this.#tenantId, applicationId, id],
    });
    return rows.length > 0;
  }

  /** Deletes all keys of the application except one, and returns the ids of the deleted keys. */
  async deleteOthers(applicationId: ApplicationId, id: ApplicationKeyId): Promise<ApplicationKeyId[]> {
    const rows = await this.#tx.query<{ id: ApplicationKeyId }>({
      text: 'delete from application_keys where tenant_id = $1 and application_id = $2 and id <> $3 returning id',
      values: [this.#tenantId, applicationId, id],
    });
    return rows.map((row) => row.id);
  }
}
