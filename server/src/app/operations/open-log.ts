import { ArchivedLogReader } from '../../platform/audit/archive/archived-log-reader.ts';
import { LogArchive } from '../../platform/audit/archive/log-archive.ts';
import { LogReader } from '../../platform/audit/verify/log-reader.ts';
import type { OpenLog } from '../../platform/audit/verify/log-verification.ts';
import type { LogConfig } from '../../platform/config/config.ts';
import type { Database } from '../../platform/database/database.ts';
import { openObjectStore } from '../../platform/object-storage/open-object-store.ts';
import { openSealerDatabase, VaultCore } from '../wiring/vault-core.ts';

/** The audit log of a vault, with its archive if one is configured. */
export interface WholeLog extends OpenLog {
  readonly core: VaultCore;
  /** The database of the log of all tenants. */
  readonly database: Database;
  readonly archived: { readonly archive: LogArchive; readonly reader: ArchivedLogReader } | undefined;
}

/** Opens the audit log of a vault, and closes everything when the work is done. */
export async function withLog<T>(config: LogConfig, work: (log: WholeLog) => Promise<T>): Promise<T> {
  const core = await VaultCore.open(config);
  try {
    return await withLogOf(core, config, work);
  } finally {
    await core.close();
  }
}

/** Opens the audit log of a vault that is open already, with connections of its own. */
export async function withLogOf<T>(
  core: VaultCore,
  config: LogConfig,
  work: (log: WholeLog) => Promise<T>,
): Promise<T> {
  const database = openSealerDatabase(config.database);
  const store = config.audit.archive === undefined ? undefined : openObjectStore(config.audit.archive);
  try {
    const { publicKey } = core.systemKeys.auditSigner();
    const archive = store === undefined ? undefined : new LogArchive(store, publicKey);
    const archived = archive === undefined ? undefined : { archive, reader: new ArchivedLogReader(database, archive) };
    const reader = archived?.reader ?? new LogReader(database);
    return await work({ reader, publicKey, core, database, archive, archived });
  } finally {
    store?.close();
    await database.close();
  }
}
