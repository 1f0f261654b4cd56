import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../database/database.ts';
import type { TenantKeyPurpose } from './tenant-keyring.ts';

export interface WrappedTenantKey {
  readonly tenantId: TenantId;
  readonly purpose: TenantKeyPurpose;
  readonly version: number;
  readonly rootKey: string;
  readonly wrapped: Buffer;
  readonly canary: Buffer;
}

const columns = `tenant_id as "tenantId", purpose, version, root_key as "rootKey", wrapped, canary`;

/** Wrapped tenant keys. Inside `forTenant` it sees one tenant's, inside `forSystem` all of them. */
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

  /** A page of every tenant's keys in a fixed order, for the check at start. */
  listAll(after: WrappedTenantKey | undefined, limit: number): Promise<WrappedTenantKey[]> {
    return this.#tx.query<WrappedTenantKey>({
      text: `select ${columns} from tenant_keys
        where $1::uuid is null or (tenant_id, purpose, version) > ($1, $2, $3)
        order by tenant_id, purpose, version limit $4`,
      values: [after?.tenantId ?? null, after?.purpose ?? '', after?.version ?? 0, limit],
    });
  }

  async insert(key: WrappedTenantKey): Promise<void> {
    await this.#tx.query({
      text: `insert into tenant_keys (tenant_id, purpose, version, root_key, wrapped, canary) values ($1, $2, $3, $4, $5, $6)`,
      values: [key.tenantId, key.purpose, key.version, key.rootKey, key.wrapped, key.canary],
    });
  }
}
