import type { TenantId } from '../../core/identity/ids.ts';
import {
  KeyRetirement,
  Reencryption,
  rewrapTenant,
  rotateRootKeys,
  type TenantRewrapReport,
} from '../../features/keys/index.ts';
import { sumTokenCounts } from '../../features/tokens/index.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { listServerMarks, listTenantIds } from '../../platform/database/ground/database-inspection.ts';
import { markOf, primaryMarkOf } from '../../platform/keyring/kms/root-key-marks.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { sealedTables } from '../wiring/sealed-tables.ts';
import { VaultCore } from '../wiring/vault-core.ts';
import { listOwnKeyUses, type OwnKeyUse } from './own-key-uses.ts';
import { requireServersWithSameKeys } from './same-root-keys.ts';

/** Key operations for operators, which run alongside live servers. */
export class KeyManagement {
  readonly core: VaultCore;
  readonly reencryption: Reencryption;
  readonly retirement: KeyRetirement;
  readonly #databaseUrl: string;

  static async with<T>(config: VaultConfig, work: (keys: KeyManagement) => Promise<T>): Promise<T> {
    const core = await VaultCore.open(config);
    try {
      return await work(new KeyManagement(core, config.database.url));
    } finally {
      await core.close();
    }
  }

  private constructor(core: VaultCore, databaseUrl: string) {
    const { database, keyring } = core;
    this.core = core;
    this.#databaseUrl = databaseUrl;
    this.reencryption = new Reencryption({ database, keyring, tables: sealedTables });
    this.retirement = new KeyRetirement({ database, tables: sealedTables });
  }

  listTenants(): Promise<TenantId[]> {
    return listTenantIds(this.core.database);
  }

  describe(tenantId: TenantId): Promise<TenantKeyInfo[]> {
    return this.core.database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
  }

  /** Lists the own root keys that are configured here or wrap one of these keys. */
  listOwnKeys(keys: readonly TenantKeyInfo[]): OwnKeyUse[] {
    return listOwnKeyUses(this.core.rootKeys.own.names, keys);
  }

  /** Estimates how many rows a pass over the tenant's tables will read. */
  estimateRows(tenantId: TenantId): Promise<number> {
    return this.core.database.forTenant(tenantId, (tx) => sumTokenCounts(tx, tenantId));
  }

  /**
   * Rewraps every key. Throws if a connected server could not unwrap the result, or would keep wrapping with the old
   * key.
   */
  async rotateRoot(onProgress: (done: number) => void) {
    const { rootKeys } = this.core;
    const mark = primaryMarkOf(markOf(rootKeys));
    const marks = await listServerMarks(this.#databaseUrl);
    const others = marks.filter((one) => primaryMarkOf(one) !== mark);
    if (others.length > 0) {
      throw new Error(
        `${others.length} of ${marks.length} running servers do not wrap keys with root key ${rootKeys.primary.id}. Nothing was ` +
          'changed. First give them both root keys and name this one in STRONGROOM_ROOT_KEY_PROVIDER.',
      );
    }
    return rotateRootKeys(this.core, onProgress);
  }

  /** Rewraps the keys of a tenant with the own root key of that name, or with the root key of the vault. */
  async rewrapTenant(tenantId: TenantId, ownKey: string | undefined): Promise<TenantRewrapReport> {
    await requireServersWithSameKeys(this.#databaseUrl, this.core.rootKeys);
    return rewrapTenant(this.core, tenantId, ownKey);
  }

  /**
   * Throws if a server of an earlier version is running. It would encrypt with a key version without checking whether
   * that version is closed.
   */
  async requireServersThatAsk(): Promise<void> {
    const marks = await listServerMarks(this.#databaseUrl);
    const older = marks.filter((mark) => mark === '');
    if (older.length === 0) return;
    throw new Error(
      `${older.length} of ${marks.length} running servers are too old to support closed keys. Nothing was ` +
        'changed. Update them first.',
    );
  }
}
