import { type Anchor, fileAnchor, httpsAnchor } from '../platform/audit/anchor.ts';
import { Anchoring, type SealedDatabase } from '../platform/audit/anchoring.ts';
import { FacetKeeper } from '../platform/audit/facet-keeper.ts';
import type { LogWorkers } from '../platform/audit/log-sealing.ts';
import { NodeWatcher } from '../platform/audit/node-watcher.ts';
import { type NodeSeals, SealLoop } from '../platform/audit/seal-loop.ts';
import { Sealer } from '../platform/audit/sealer.ts';
import { Watcher } from '../platform/audit/watcher.ts';
import type { AuditConfig } from '../platform/config/config.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { VaultCore } from './vault-core.ts';

/** Seals the audit log in this process, in each database of the vault, and delivers its checkpoints to the configured anchors. */
export async function startSealing(parts: {
  core: VaultCore;
  /** As the role that may seal; the home database is the first. */
  databases: readonly [SealedDatabase, ...SealedDatabase[]];
  config: AuditConfig;
  nodeSeals?: NodeSeals;
  logger: Logger;
  metrics: Metrics;
}): Promise<SealLoop> {
  const { core, databases, config, nodeSeals, logger, metrics } = parts;
  const [home] = databases;
  const anchors: Anchor[] = [
    ...(config.anchorFile === undefined ? [] : [fileAnchor(config.anchorFile)]),
    ...(config.anchorUrl === undefined ? [] : [httpsAnchor(config.anchorUrl)]),
  ];
  const anchorings = await Promise.all(anchors.map((anchor) => Anchoring.start(databases, anchor)));
  const signer = core.systemKeys.auditSigner();
  const thresholds = config.alerts;
  const logs = databases.map(
    ({ node, database }): LogWorkers => ({
      node,
      sealer: new Sealer({ database, signer, node }),
      facets: new FacetKeeper(database),
      watcher:
        node === undefined
          ? new Watcher({ sealerDatabase: database, database: core.database, thresholds })
          : new NodeWatcher({ node, nodeDatabase: database, homeDatabase: home.database, thresholds }),
    }),
  );
  return new SealLoop({ logs, anchorings, nodeSeals, logger, metrics });
}
