import { OperatorError } from '../core/errors/operator-error.ts';
import { homeName } from '../core/nodes/home-name.ts';
import type { SealedDatabase } from '../platform/audit/anchoring.ts';
import type { DatabaseConfig } from '../platform/config/config.ts';
import { listOwnedNodes } from '../platform/config/owned-nodes.ts';
import { readNodeStateIn } from '../platform/nodes/node-store.ts';
import { noTracer } from '../platform/telemetry/traces/tracer.ts';
import { openSealerDatabase } from './vault-core.ts';

/**
 * Requires that each database is the one that its name says: what is sealed under the wrong name would look as if it had been tampered
 * with. Only for a vault with nodes.
 */
export async function requireNamedDatabases(databases: readonly SealedDatabase[]): Promise<void> {
  if (databases.length === 1) return;
  for (const { node = homeName, database } of databases) {
    const { name } = await database.forSealer(readNodeStateIn);
    if (name === node) continue;
    throw new OperatorError(
      `The database of ${node} says that it is ${name}. Correct STRONGROOM_NODE_OWNERS and STRONGROOM_DATABASE_OWNER_URL.`,
    );
  }
}

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
