import pg from 'pg';
import { Database } from '../../src/platform/database/database.ts';
import { JobRunner, jobPace } from '../../src/platform/jobs/job-runner.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';

/**
 * A worker that records each run of the task `work` in the table `job_runs`. It writes a line when it is ready.
 *
 * Usage: node job-worker.ts <url>
 */
const [, , url = ''] = process.argv;
const database = new Database({
  url,
  connectionsMax: 3,
  queueMax: 10,
  acquireTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  applicationName: 'strongroom job worker',
});
const owner = new pg.Pool({ connectionString: url, max: 2 });
const job = {
  name: 'work',
  run: async (payload: unknown) => {
    await owner.query(`insert into job_runs (number, worker) values (($1::jsonb->>'number')::integer, $2)`, [
      JSON.stringify(payload),
      process.pid,
    ]);
  },
};
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
// Ten seconds is the shortest heartbeat that pg-boss accepts.
const pace = { ...jobPace, pollSeconds: 0.5, heartbeatSeconds: 10, watchSeconds: 1 };
await JobRunner.start({ database, address: { url }, jobs: [job], logger, metrics: new Metrics(), pace });
process.stdout.write('ready\n');
