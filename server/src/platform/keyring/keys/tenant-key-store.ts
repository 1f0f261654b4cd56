import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { TenantKeyPurpose } from './tenant-keyring.ts';

export interface WrappedTenantKey {
  readonly tenantId: TenantId;
  readonly purpose: TenantKeyPurpose;
  readonly version: number;
  readonly rootKey: string;
  readonly wrapped: Buffer;
  readonly canary: Buffer;
}

/** Key metadata that is safe to show. */
export interface TenantKeyInfo {
  readonly tenantId: TenantId;
  readonly purpose: TenantKeyPurpose;
  readonly version: number;
  readonly rootKey: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  /** The age according to the database's clock, in milliseconds. */
  readonly ageMs: number;
  readonly closedForMs: number | null;
}

const columns = `tenant_id as "tenantId", purpose, version, root_key as "rootKey", wrapped, canary`;

/** Reads the keys of all tenants page by page, each page in its own transaction. */
export async function* tenantKeyPages(database: Database, pageSize: number): AsyncGenerator<WrappedTenantKey[]> {
  for (let last: WrappedTenantKey | undefined; ; ) {
    const after = last;
    const page = await database.forSystem((tx) => new TenantKeyStore(tx).listAll(after, pageSize));
    yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

/**
 * Reads and writes wrapped tenant keys: inside `forTenant` those of one tenant, inside `forSystem` those of all
 * tenants.
 */
export class TenantKeyStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  listOfTenant(tenantId: TenantId): Promise<WrappedTenantKey[]> {
    return this.#tx.query<WrappedTenantKey>({
      name: 'tenant-keys-of-tenant',
      text: `select ${columns} from tenant_keys where tenant_id = $1`,
      values: [tenantId],
    });
  }

  /**
   * Lists a tenant's keys, and lets no other transaction rewrap or close one of them until this one ends. The second
   * statement also sees a key that was added while the first one waited.
   */
  async lockOfTenant(tenantId: TenantId): Promise<WrappedTenantKey[]> {
    await this.#tx.query({ text: 'select 1 from tenant_keys where tenant_id = $1 for update', values: [tenantId] });
    return this.listOfTenant(tenantId);
  }

  /** Lists a page of the keys of all tenants in a fixed order. */
  listAll(after: WrappedTenantKey | undefined, limit: number): Promise<WrappedTenantKey[]> {
    return this.#tx.query<WrappedTenantKey>({
      text: `select ${columns} from tenant_keys
        where $1::uuid is null or (tenant_id, purpose, version) > ($1, $2, $3)
        order by tenant_id, purpose, version limit $4`,
      values: [after?.tenantId ?? null, after?.purpose ?? '', after?.version ?? 0, limit],
    });
  }

  /** Lists a tenant's keys, oldest version first. */
  describe(tenantId: TenantId): Promise<TenantKeyInfo[]> {
    return this.#tx.query<TenantKeyInfo>({
      text: `select tenant_id as "tenantId", purpose, version, root_key as "rootKey", created_at as "createdAt", closed_at as "closedAt",
          (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs",
          (extract(epoch from clock_timestamp() - closed_at) * 1000)::float8 as "closedForMs"
        from tenant_keys where tenant_id = $1 order by purpose, version`,
      values: [tenantId],
    });
  }

  async insert(key: WrappedTenantKey): Promise<void> {
    await this.#tx.query({
      text: `insert into tenant_keys (tenant_id, purpose, version, root_key, wrapped, canary) values ($1, $2, $3, $4, $5, $6)`,
      values: [key.tenantId, key.purpose, key.version, key.rootKey, key.wrapped, key.canary],
    });
  }

  /**
   * Replaces the wrapping of a key, but not the key. Returns false if another process has already done so, or if the
   * key is gone.
   */
  async updateWrapping(old: WrappedTenantKey, fresh: WrappedTenantKey): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update tenant_keys set root_key = $5, wrapped = $6
        where tenant_id = $1 and purpose = $2 and version = $3 and wrapped = $4 returning 1`,
      values: [old.tenantId, old.purpose, old.version, old.wrapped, fresh.rootKey, fresh.wrapped],
    });
    return rows.length > 0;
  }

  /**
   * Closes all data keys except the newest, after waiting for writers in progress. After the commit, nothing more is
   * encrypted with an older key.
   */
  async closeOlder(tenantId: TenantId): Promise<void> {
    await this.#tx.query({ text: 'select close_older_keys($1)', values: [tenantId] });
  }

  /** Destroys a closed data key. Returns false if there is none. */
  async deleteClosed(tenantId: TenantId, version: number): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `delete from tenant_keys where tenant_id = $1 and purpose = 'data' and version = $2 and closed_at is not null returning 1`,
      values: [tenantId, version],
    });
    return rows.length > 0;
  }
}
