import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { addGroundMetrics } from '../../platform/database/ground/ground-metrics.ts';
import { GroundWatch } from '../../platform/database/ground/ground-watch.ts';
import { readOnlyRemedy } from '../../platform/database/ground/read-only.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/**
 * Starts to monitor the environment that PostgreSQL depends on, and reports it in the metrics. The caller must stop it.
 */
export function watchGround(
  database: Database,
  { connectionsMax, requiresStandby }: DatabaseConfig,
  { metrics, logger }: { readonly metrics: Metrics; readonly logger: Logger },
): GroundWatch {
  const watch = new GroundWatch(database, { connectionsMax, requiresStandby });
  watch.onReadOnly((isReadOnly) =>
    isReadOnly
      ? logger.error('database read-only', { sql_state: '25006', advice: readOnlyRemedy })
      : logger.warn('database writable again'),
  );
  watch.start();
  addGroundMetrics(metrics, watch);
  return watch;
}
