import type { DatabaseConfig } from '../../platform/config/database-reading.ts';
import type { Database } from '../../platform/database/database.ts';
import { addGroundMetrics } from '../../platform/database/ground/ground-metrics.ts';
import { GroundWatch } from '../../platform/database/ground/ground-watch.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/**
 * Starts to monitor the environment that PostgreSQL depends on, and reports it in the metrics. The caller must stop it.
 */
export function watchGround(
  database: Database,
  { connectionsMax, requiresStandby = false }: DatabaseConfig,
  metrics: Metrics,
): GroundWatch {
  const watch = new GroundWatch(database, { connectionsMax, requiresStandby }).start();
  addGroundMetrics(metrics, watch);
  return watch;
}
