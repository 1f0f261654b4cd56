import type { VaultCore } from '../../app/wiring/vault-core.ts';
import { processEnvironment, readVaultConfig } from '../../platform/config/config.ts';

/** Opens the vault for one operation, alongside the running servers. */
export async function withVault<T>(work: (core: VaultCore) => Promise<T>): Promise<T> {
  const config = readVaultConfig(processEnvironment());
  const { VaultCore } = await import('../../app/wiring/vault-core.ts');
  const core = await VaultCore.open(config);
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}
