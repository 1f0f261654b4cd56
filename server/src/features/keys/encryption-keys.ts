import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { type OwnKeyTrouble, troubleOf } from '../../platform/keyring/keys/own-key-trouble.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { type ReencryptionProgress, ReencryptionStore } from './reencryption-store.ts';

export interface EncryptionKeys {
  /** Provider and fingerprint of the root key that wraps new keys, with the name of an own root key. */
  readonly rootKey: string;
  /** Set if the own root key of the tenant fails. */
  readonly outage: { readonly trouble: OwnKeyTrouble; readonly endsInMs: number } | undefined;
  /** The data keys, newest first. The newest one is used to encrypt. */
  readonly dataKeys: readonly TenantKeyInfo[];
  /** Undefined if the tenant's data has never been re-encrypted. */
  readonly reencryption: (ReencryptionProgress & { readonly rowsExpected: number }) | undefined;
}

interface EncryptionKeyServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly rootKeys: RootKeys;
  readonly keyring: Keyring;
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
    const dataKeys = found.keys.filter(({ purpose }) => purpose === 'data').toReversed();
    const ownKey = dataKeys.find(({ rootKey }) => ownKeyNameOf(rootKey) !== undefined)?.rootKey;
    return {
      rootKey: ownKey ?? this.#parts.rootKeys.primary.id,
      outage: ownKey === undefined ? undefined : await this.#findOutage(tenantId),
      dataKeys,
      reencryption: found.reencryption,
    };
  }

  async #findOutage(tenantId: TenantId): Promise<EncryptionKeys['outage']> {
    const outage = await this.#parts.keyring.findOwnOutage(tenantId);
    return outage === undefined ? undefined : { trouble: troubleOf(outage.error), endsInMs: outage.endsInMs };
  }
}
