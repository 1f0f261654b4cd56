import type { VaultConfig } from '../../platform/config/config.ts';
import { EpochKeys } from '../../platform/keyring/cvc/epoch-keys.ts';
import type { VaultCore } from '../wiring/vault-core.ts';

/** Joins the processes of this installation that share the keys of card verification codes. */
export function startEpochKeys(core: VaultCore, config: VaultConfig): Promise<EpochKeys> {
  const { url } = config.database;
  const mac = (message: Buffer) => core.systemKeys.authenticate(message);
  return EpochKeys.start({ url, mac, origin: core.origins.of(url) });
}
