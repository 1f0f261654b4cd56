import { streamLogJob, StreamMetrics, type StreamPace } from '../../features/log-streams/index.ts';
import type { StreamConfig } from '../../platform/config/log-stream-config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** Builds the job that sends streams of the audit log. A worker without streams leaves them to others. */
export function createStreamJobs(
  database: Database,
  parts: {
    readonly streams: readonly StreamConfig[];
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly pace?: Partial<StreamPace>;
  },
): Job[] {
  const { streams, logger, metrics, pace } = parts;
  const streamMetrics = new StreamMetrics(metrics, streams);
  if (streams.length === 0) return [];
  return [streamLogJob({ database, streams, logger, metrics: streamMetrics, ...(pace === undefined ? {} : { pace }) })];
}
