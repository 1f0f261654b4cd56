import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApplicationStore } from '../applications/index.ts';
import { type Member, MemberStore } from '../members/index.ts';
import type { Tenant, TokenCount } from './tenant.ts';
import { type ListedTenant, listOwners, listTenants } from './tenant-overview-store.ts';
import { TenantStore } from './tenant-store.ts';

/** This is more members or applications than any tenant has. */
const shownMax = 1_000;

export interface TenantSummary extends ListedTenant {
  readonly ownerEmail: string | null;
}

export interface TenantOverview {
  readonly tenant: Tenant;
  readonly members: readonly Member[];
  readonly applications: number;
  readonly tokens: readonly TokenCount[];
}

/** Shows tenants to an operator: names and numbers, but no stored data. */
export class TenantOverviews {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<TenantSummary[]> {
    const tenants = await this.#database.forSystem(listTenants);
    const owners = new Map(
      (await this.#database.forPortal(listOwners)).map(({ tenantId, email }) => [tenantId, email]),
    );
    return tenants.map((tenant) => ({ ...tenant, ownerEmail: owners.get(tenant.id) ?? null }));
  }

  /**
   * Returns one tenant. This is recorded in its audit log as an action of the system, because the result names people.
   */
  async get(tenantId: TenantId): Promise<TenantOverview> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = new TenantStore(tx, tenantId);
      const tenant = await store.find();
      if (tenant === undefined) throw new DomainError('not-found', 'There is no such tenant.');
      const first = { page: 1, size: shownMax };
      const { items: members } = await new MemberStore(tx, tenantId).list(undefined, first);
      const applications = await new ApplicationStore(tx, tenantId).list({ ids: undefined, types: undefined }, first);
      const tokens = await store.countTokensByType();
      await recordInTransaction(tx, tenantId, 'system', successEvent('tenant', tenantId, 'read'));
      return { tenant, members, applications: applications.totalItems, tokens };
    });
  }
}
