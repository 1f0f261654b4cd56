import { LogReader } from '../platform/audit/log-reader.ts';
import type { OpenLog } from '../platform/audit/log-trees.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { openSealerDatabases, requireNamedDatabases } from './sealer-databases.ts';
import { VaultCore } from './vault-core.ts';

/** Opens the audit log of a vault, and closes everything again when the work is done. */
export async function withLog<T>(
  config: VaultConfig,
  work: (log: OpenLog & { readonly core: VaultCore }) => Promise<T>,
): Promise<T> {
  const core = await VaultCore.open(config);
  const [home, ...nodes] = openSealerDatabases(config.database);
  try {
    await requireNamedDatabases([home, ...nodes]);
    const { publicKey } = core.systemKeys.auditSigner();
    const others = nodes.map(({ node, database }) => new LogReader(database, 'every tenant', node));
    return await work({ reader: new LogReader(home.database), others, publicKey, core });
  } finally {
    await Promise.all([...[home, ...nodes].map(({ database }) => database.close()), core.close()]);
  }
}
