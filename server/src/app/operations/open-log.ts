import { LogReader } from '../../platform/audit/verify/log-reader.ts';
import type { OpenLog } from '../../platform/audit/verify/log-verification.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { openSealerDatabase, VaultCore } from '../wiring/vault-core.ts';

/** Opens the audit log of a vault, and closes everything when the work is done. */
export async function withLog<T>(
  config: VaultConfig,
  work: (log: OpenLog & { readonly core: VaultCore }) => Promise<T>,
): Promise<T> {
  const core = await VaultCore.open(config);
  const database = openSealerDatabase(config.database);
  try {
    const { publicKey } = core.systemKeys.auditSigner();
    return await work({ reader: new LogReader(database), publicKey, core });
  } finally {
    await Promise.all([database.close(), core.close()]);
  }
}
