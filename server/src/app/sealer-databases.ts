import type { SealedDatabase } from '../platform/audit/anchoring.ts';
import type { DatabaseConfig } from '../platform/config/config.ts';
import { listOwnedNodes } from '../platform/config/owned-nodes.ts';
import { noTracer } from '../platform/telemetry/traces/tracer.ts';
import { openSealerDatabase } from './vault-core.ts';

/** The audit log of a vault, as the role that seals it: a part in each of its databases, of which the home database is the first. */
export function openSealerDatabases(
  config: DatabaseConfig,
  tracer = noTracer,
): readonly [SealedDatabase, ...SealedDatabase[]] {
  const [, ...nodes] = listOwnedNodes(config);
  const home = { database: openSealerDatabase(config, tracer) };
  const others = nodes.map(({ name, ownerUrl }) => ({
    node: name,
    database: openSealerDatabase({ ...config, ownerUrl }, tracer),
  }));
  return [home, ...others];
}
