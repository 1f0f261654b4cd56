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
  /** The data keys, newest first. The newest one is used to encrypt. */
  readonly dataKeys: readonly TenantKeyInfo[];
  /** Undefined if the tenant's data has never been re-encrypted. */
  readonly reencryption: (ReencryptionProgress & { readonly rowsExpected: number }) | undefined;
}

interface EncryptionKeyServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly rootKeys: RootKeys;
  /** The tables that a re-encryption covers. */
  readonly sources: readonly string[];
  readonly estimateRows: (tx: Transaction, tenantId: TenantId) => Promise<number>;
}

/**
 * Reports the keys that encrypt the data of a tenant, for callers with read access. It never handles a key, wrapped or
 * not.
 */
export class EncryptionKeyService {
  readonly #parts: EncryptionKeyServiceParts;

  constructor(parts: EncryptionKeyServiceParts) {
    this.#parts = parts;
  }

  async list(caller: Caller): Promise<EncryptionKeys> {
    const { tenantId } = caller;
    const found = await this.#parts.database.forTenant(tenantId, async (tx) => {
      const keys = await new TenantKeyStore(tx).describe(tenantId);
      const progress = await new ReencryptionStore(tx).findProgress(tenantId, this.#parts.sources);
      const reencryption =
        progress === undefined
          ? undefined
          : { ...progress, rowsExpected: await this.#parts.estimateRows(tx, tenantId) };
      return { keys, reencryption };
    });
    await this.#parts.audit.append(caller, successEvent('tenant', tenantId, 'read'));
    return {
      rootKey: this.#parts.rootKeys.primary.id,
      dataKeys: found.keys.filter(({ purpose }) => purpose === 'data').toReversed(),
      reencryption: found.reencryption,
    };
  }
}
