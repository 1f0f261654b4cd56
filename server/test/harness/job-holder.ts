import { Database } from '../../src/platform/database/database.ts';
import { JobRunner, jobPace } from '../../src/platform/jobs/job-runner.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';

/**
 * A worker that takes jobs of one task and never finishes any.
 *
 * Usage: node job-holder.ts <url> <task> <lease in milliseconds>
 */
const [, , url = '', task = '', leaseMs = ''] = process.argv;
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
const pace = { ...jobPace, pollMs: 20, leaseMs: Number(leaseMs) };
await JobRunner.start({ database, jobs: [job], logger, metrics: new Metrics(), pace });
