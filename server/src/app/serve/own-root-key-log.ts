import { reasonOf } from '../../core/errors/operator-error.ts';
import { listRootKeys } from '../../platform/database/ground/database-inspection.ts';
import { troubleOf } from '../../platform/keyring/keys/own-key-trouble.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import { UnknownOwnRootKey } from '../../platform/keyring/kms/own-root-keys.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { VaultCore } from '../wiring/vault-core.ts';

/**
 * Logs own root keys of tenants that this server lacks. From then on, logs once for each tenant that its key fails, with
 * the time for which its values can still be read, and once that it works again.
 */
export async function watchOwnRootKeys({ database, keyring, rootKeys }: VaultCore, logger: Logger): Promise<void> {
  const configured = new Set(rootKeys.own.names);
  for (const id of await listRootKeys(database)) {
    const name = ownKeyNameOf(id);
    if (name === undefined || configured.has(name)) continue;
    logger.error('tenant root key not configured', { root_key: id, advice: new UnknownOwnRootKey(name).message });
  }
  keyring.ownOutages.onChange(({ tenantId, rootKey, error, endsAt, failedAt }, isOver) => {
    const fields = { tenant_id: tenantId, root_key: rootKey };
    if (isOver) return logger.warn('tenant root key back', fields);
    const seconds = Math.max(0, Math.round((endsAt - failedAt) / 1_000));
    logger.error('tenant root key unavailable, values of this tenant are readable until its loaded keys end', {
      ...fields,
      seconds,
      error: troubleOf(error),
      advice: reasonOf(error),
    });
  });
}
