import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import type { SealedTable } from '../../platform/keyring/sealed-rows.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/tenant-key-store.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { addUpProgress, type ReencryptionProgress, ReencryptionStore } from './reencryption-store.ts';

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
  readonly #nodes: Nodes;
  readonly #audit: AuditLog;
  readonly #rootKeys: RootKeys;
  readonly #tables: readonly SealedTable[];
  readonly #estimateRows: (tx: Transaction, tenantId: TenantId) => Promise<number>;

  constructor(parts: {
    nodes: Nodes;
    audit: AuditLog;
    rootKeys: RootKeys;
    /** The tables that a re-encryption goes through. */
    tables: readonly SealedTable[];
    /** Within a transaction at home. */
    estimateRows: (tx: Transaction, tenantId: TenantId) => Promise<number>;
  }) {
    this.#nodes = parts.nodes;
    this.#audit = parts.audit;
    this.#rootKeys = parts.rootKeys;
    this.#tables = parts.tables;
    this.#estimateRows = parts.estimateRows;
  }

  async list(caller: Caller): Promise<EncryptionKeys> {
    const { tenantId } = caller;
    const found = await this.#nodes.home.database.forTenant(tenantId, async (tx) => {
      const keys = await new TenantKeyStore(tx).describe(tenantId);
      const progress = await this.#findProgress(tx, tenantId);
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

  async #findProgress(home: Transaction, tenantId: TenantId): Promise<ReencryptionProgress | undefined> {
    const nameOf = ({ name }: SealedTable) => name;
    const onNodes = this.#tables.filter(({ isOnNodes }) => isOnNodes).map(nameOf);
    const parts = [
      await new ReencryptionStore(home).findProgress(tenantId, this.#tables.map(nameOf)),
      ...(await Promise.all(
        this.#nodes.all
          .slice(1)
          .map(({ database }) =>
            database.forTenant(tenantId, (tx) => new ReencryptionStore(tx).findProgress(tenantId, onNodes)),
          ),
      )),
    ];
    return parts.length === 1 ? parts[0] : addUpProgress(parts);
  }
}
