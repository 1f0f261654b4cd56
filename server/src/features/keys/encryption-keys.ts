import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { type ReencryptionProgress, ReencryptionStore } from './reencryption-store.ts';

export interface EncryptionKeys {
  /** Provider and fingerprint of the root key that wraps new keys. */
  readonly rootKey: string;
  /** The newest, which encrypts, comes first. */
  readonly dataKeys: readonly TenantKeyInfo[];
  /** Undefined if the tenant's data has never been re-encrypted. */
  readonly reencryption: (ReencryptionProgress & { readonly rowsExpected: number }) | undefined;
}

/** Which keys a tenant's data is encrypted with, for those who may look but not touch. Never holds a key, wrapped or not. */
export class EncryptionKeyService {
  readonly #database: Database;
  readonly #audit: AuditLog;
  readonly #rootKeys: RootKeys;
  readonly #sources: readonly string[];
  readonly #estimateRows: (tx: Transaction, tenantId: TenantId) => Promise<number>;

  constructor(parts: {
    database: Database;
    audit: AuditLog;
    rootKeys: RootKeys;
    /** The tables that a re-encryption goes through. */
    sources: readonly string[];
    estimateRows: (tx: Transaction, tenantId: TenantId) => Promise<number>;
  }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
    this.#rootKeys = parts.rootKeys;
    this.#sources = parts.sources;
    this.#estimateRows = parts.estimateRows;
  }

  async list(caller: Caller): Promise<EncryptionKeys> {
    const { tenantId } = caller;
    const found = await this.#database.forTenant(tenantId, async (tx) => {
      const keys = await new TenantKeyStore(tx).describe(tenantId);
      const progress = await new ReencryptionStore(tx).findProgress(tenantId, this.#sources);
      const reencryption =
        progress === undefined ? undefined : { ...progress, rowsExpected: await this.#estimateRows(tx, tenantId) };
      return { keys, reencryption };
    });
    await this.#audit.append(caller, successEvent('tenant', tenantId, 'read'));
    return {
      rootKey: this.#rootKeys.primary.id,
      dataKeys: found.keys.filter(({ purpose }) => purpose === 'data').toReversed(),
      reencryption: found.reencryption,
    };
  }
}
