import { Database } from '../../src/platform/database/database.ts';
import { JobRunner, jobPace } from '../../src/platform/jobs/job-runner.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';

/**
 * A worker that takes jobs of one task and never finishes any.
 *
 * Usage: node job-holder.ts <url> <task>
 */
const [, , url = '', task = ''] = process.argv;
const database = new Database({
  url,
  connectionsMax: 2,
  queueMax: 10,
  acquireTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  applicationName: 'strongroom job holder',
});
const job = {
  name: task,
  run: () => {
    process.stdout.write('held\n');
    return new Promise<void>(() => undefined);
  },
};
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
// Ten seconds is the shortest heartbeat that pg-boss accepts.
const pace = { ...jobPace, pollSeconds: 0.5, heartbeatSeconds: 10, watchSeconds: 1 };
await JobRunner.start({ database, address: { url }, jobs: [job], logger, metrics: new Metrics(), pace });
