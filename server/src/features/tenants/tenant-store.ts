import { deletedTenantDays } from '../../core/identity/deleted-tenant.ts';
import type { LifeLimit } from '../../core/expiry/life-limit.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { lockTenant } from '../../platform/database/open-tenant.ts';
import type { Tenant, TenantType, TokenCount } from './tenant.ts';

const columns = `tenants.id, owner.user_id as "ownerId", tenants.name, tenants.type, tenants.settings,
  tenants.created_by as "createdBy", tenants.created_at as "createdAt",
  tenants.modified_by as "modifiedBy", tenants.modified_at as "modifiedAt", tenants.deleted_at as "deletedAt"`;
const withOwner = `left join members owner on owner.tenant_id = tenants.id and owner.role = 'OWNER'`;

/**
 * The delay before the purge. Requests that were in progress during the removal have ended by then, so nothing is
 * written after the purge.
 */
const purgeDelaySeconds = 120;

export class TenantStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(tenant: { name: string; type: TenantType }): Promise<void> {
    await this.#tx.query({
      text: 'insert into tenants (id, name, type) values ($1, $2, $3)',
      values: [this.#tenantId, tenant.name, tenant.type],
    });
  }

  async find(): Promise<Tenant | undefined> {
    const [row] = await this.#tx.query<Tenant>({
      text: `select ${columns} from tenants ${withOwner} where tenants.id = $1`,
      values: [this.#tenantId],
    });
    return row;
  }

  /** Lists how long tokens may live at most, including limits that have yet to take effect. */
  listLifeLimits(): Promise<LifeLimit[]> {
    return this.#tx.query({
      text: `select container, type, never_longer_days as days, effective_at as "effectiveAt" from retention_rules
        where tenant_id = $1 and never_longer_days is not null and effective_at is not null`,
      values: [this.#tenantId],
    });
  }

  /** Returns true if a legal hold of the tenant is in force. */
  async hasHolds(): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from legal_holds where tenant_id = $1 and lifted_at is null and (ends_at is null or ends_at > now()) limit 1`,
      values: [this.#tenantId],
    });
    return rows.length > 0;
  }

  /** Locks the tenant until the commit, so that a concurrent change sees the result of this transaction. */
  async lock(): Promise<Tenant | undefined> {
    await lockTenant(this.#tx, this.#tenantId);
    return this.find();
  }

  /** Updates the tenant. Settings are merged: those that are not named stay unchanged. */
  async update(change: {
    name: string;
    settings: Readonly<Record<string, string>>;
    modifiedBy: string | null;
  }): Promise<void> {
    await this.#tx.query({
      text: `update tenants set name = $2, settings = settings || $3::jsonb, modified_by = $4, modified_at = now() where id = $1`,
      values: [this.#tenantId, change.name, JSON.stringify(change.settings), change.modifiedBy],
    });
  }

  /**
   * Marks the tenant as deleted. All requests of the tenant are rejected as soon as this commits. Servers learn about
   * it within a second.
   */
  async markDeleted(deletedBy: string | null): Promise<void> {
    await this.#tx.query({
      text: 'update tenants set deleted_at = now(), deleted_by = $2 where id = $1',
      values: [this.#tenantId, deletedBy],
    });
  }

  async restore(): Promise<void> {
    await this.#tx.query({
      text: 'update tenants set deleted_at = null, deleted_by = null where id = $1',
      values: [this.#tenantId],
    });
  }

  /** Locks the tenant if it was deleted long enough ago to be removed. Returns false otherwise. */
  async lockIfDue(): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'select from tenants where id = $1 and deleted_at <= now() - make_interval(days => $2) for update',
      values: [this.#tenantId, deletedTenantDays],
    });
    return rows.length > 0;
  }

  /**
   * Removes the tenant. Its members, applications and application keys are deleted with the row. So are its wrapped
   * tenant keys, so that none of its stored data can be decrypted any more. Only unreadable rows remain, which a job
   * deletes.
   */
  async remove(): Promise<void> {
    await this.#tx.query({ text: 'delete from tenants where id = $1', values: [this.#tenantId] });
    await this.#tx.query({
      text: `select enqueue_job('purge-tenant', json_build_object('tenant_id', $1::uuid), 'purge-tenant:' || $1, $2)`,
      values: [this.#tenantId, purgeDelaySeconds],
    });
  }

  /**
   * Sums the totals that every write maintains. The number of totals grows neither with the tokens nor with their
   * containers.
   */
  countTokensByType(): Promise<TokenCount[]> {
    return this.#tx.query({
      text: `select type, sum(tokens)::float8 as count, max(last_created_at) as "lastCreatedAt"
        from token_totals where tenant_id = $1 group by type having sum(tokens) > 0 order by type`,
      values: [this.#tenantId],
    });
  }
}
