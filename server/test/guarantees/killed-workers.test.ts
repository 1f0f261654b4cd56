import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { untilTrue } from '../harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { listQueued } from '../harness/queued-jobs.ts';

/** The number of workers that are killed. `npm run test:jobs` kills fifty. */
const kills = Number(process.env['JOB_KILLS'] ?? 3);
const jobsPerKill = 100;
/** The number of jobs of one task that a worker runs at a time. */
const runningMax = 20;
const program = fileURLToPath(new URL('../harness/job-worker.ts', import.meta.url));
const tenantId = parseTenantId(crypto.randomUUID());

let test: TestDatabase;
const workers: ChildProcess[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
  const retries = { deadLetter: 'dead-letters', retryLimit: 100, retryDelay: 1 };
  const options = { policy: 'exclusive', notify: true, ...retries, heartbeatSeconds: 10 };
  await test.owner.query('select pgboss.create_queue($1, $2)', ['work', JSON.stringify(options)]);
  await test.owner.query('create table job_runs (number integer not null, worker integer not null)');
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await test.drop();
});

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, test.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  workers.push(worker);
  await once(worker.stdout, 'data');
  return worker;
}

async function enqueue(numbers: readonly number[]): Promise<void> {
  await test.open().forTenant(tenantId, async (tx) => {
    for (const number of numbers) {
      const values = ['work', JSON.stringify({ tenant_id: tenantId, number }), `work:${number}`];
      await tx.query({ text: 'select enqueue_job($1, $2, $3, 0)', values });
    }
  });
}

describe('workers that are killed', () => {
  it(`lose no job and repeat only what they were running, ${kills} times`, { timeout: 1_200_000 }, async () => {
    const victims = [await startWorker(), await startWorker()];
    for (let round = 0; round < kills; round += 1) {
      await enqueue(Array.from({ length: jobsPerKill }, (_, index) => round * jobsPerKill + index));
      const [victim] = victims.splice(Math.floor(Math.random() * victims.length), 1);
      victim?.kill('SIGKILL');
      victims.push(await startWorker());
    }
    await untilTrue(async () => (await listQueued(test.owner, 'work')).length === 0, { waitingFor: 'every job' });
    const { rows } = await test.owner.query<{ number: number; runs: number }>(
      'select number, count(*)::integer as runs from job_runs group by number order by number',
    );
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: kills * jobsPerKill }, (_, index) => index));
    const repeated = rows.reduce((sum, { runs }) => sum + runs - 1, 0);
    expect(repeated).toBeLessThanOrEqual(kills * runningMax);
    const { rows: dead } = await test.owner.query(`select from pgboss.job where name = 'dead-letters'`);
    expect(dead).toEqual([]);
  });
});
