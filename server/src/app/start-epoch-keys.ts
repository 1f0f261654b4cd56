import type { VaultConfig } from '../platform/config/config.ts';
import { EpochKeys } from '../platform/keyring/cvc/epoch-keys.ts';
import type { VaultCore } from './vault-core.ts';

/** Joins the processes of this installation that share the keys of card verification codes. */
export function startEpochKeys(core: VaultCore, config: VaultConfig): Promise<EpochKeys> {
  return EpochKeys.start({ url: config.database.url, mac: (message) => core.systemKeys.authenticate(message) });
}
