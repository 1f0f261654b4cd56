import { type Anchor, fileAnchor, httpsAnchor } from '../../platform/audit/seal/anchor.ts';
import { Anchoring } from '../../platform/audit/seal/anchoring.ts';
import { FacetKeeper } from '../../platform/audit/record/facet-keeper.ts';
import { SealLoop } from '../../platform/audit/seal-loop.ts';
import { Sealer } from '../../platform/audit/seal/sealer.ts';
import { Watcher } from '../../platform/audit/watch/watcher.ts';
import type { AuditConfig } from '../../platform/config/audit-settings.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { VaultCore } from '../wiring/vault-core.ts';

/** Seals the audit log in this process and delivers its checkpoints to the configured anchors. */
export async function startSealing(parts: {
  core: VaultCore;
  /** Connects with the role that may seal. */
  database: Database;
  config: AuditConfig;
  logger: Logger;
  metrics: Metrics;
  /** Called with the tenants that records were sealed for. */
  wake: (tenantIds: readonly string[]) => Promise<void>;
}): Promise<SealLoop> {
  const { core, database, config, logger, metrics, wake } = parts;
  const anchors: Anchor[] = [
    ...(config.anchorFile === undefined ? [] : [fileAnchor(config.anchorFile)]),
    ...(config.anchorUrl === undefined ? [] : [httpsAnchor(config.anchorUrl)]),
  ];
  const anchorings = await Promise.all(anchors.map((anchor) => Anchoring.start(database, anchor)));
  const sealer = new Sealer({ database, signer: core.systemKeys.auditSigner() });
  const watcher = new Watcher({ sealerDatabase: database, database: core.database, thresholds: config.alerts });
  return new SealLoop({ sealer, facets: new FacetKeeper(database), watcher, anchorings, wake, logger, metrics });
}
