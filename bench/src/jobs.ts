import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { parseTenantId } from '../../server/src/core/identity/ids.ts';
import type { Database } from '../../server/src/platform/database/database.ts';
import type { JobRunner } from '../../server/src/platform/jobs/job-runner.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import type { Metrics } from '../../server/src/platform/telemetry/metrics.ts';
import { median, percentile } from './median.ts';
import { withClient } from './with-client.ts';

/*
 * Measures how soon a job starts after the transaction that enqueues it has been committed, and how long a worker takes for
 * many small ones. With another checkout, which must be installed, its queue is measured beside ours, in turns:
 * `npm run bench:jobs -- --with ../before`. Each has a PostgreSQL of its own.
 */
const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    rounds: { type: 'string', default: '2' },
    starts: { type: 'string', default: '200' },
    jobs: { type: 'string', default: '5000' },
  },
});
const [rounds, starts, jobs] = [Number(values.rounds), Number(values.starts), Number(values.jobs)];
const perTransaction = 100;
const tenantId = parseTenantId(crypto.randomUUID());
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The parts of a checkout that are measured. */
interface Checkout {
  readonly Database: typeof Database;
  readonly JobRunner: typeof JobRunner;
  readonly Metrics: typeof Metrics;
}

class Subject {
  readonly postgres: LocalPostgres;
  readonly #checkout: Checkout;
  readonly #database: Database;
  #onRun: (number: number) => void = () => undefined;

  static async prepare(folder: string): Promise<Subject> {
    const load = async (module: string) =>
      (await import(pathToFileURL(path.join(folder, 'server/src', module)).href)) as Partial<Checkout>;
    const modules = ['platform/database/database.ts', 'platform/jobs/job-runner.ts', 'platform/telemetry/metrics.ts'];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Each of the modules has one of the members.
    const checkout = Object.assign({}, ...(await Promise.all(modules.map(load)))) as Checkout;
    const postgres = await LocalPostgres.start({ password: crypto.randomUUID() });
    await migrateWith(folder, postgres.url);
    await withClient(postgres.url, async (client) => {
      const { rows } = await client.query(`select to_regnamespace('pgboss') is not null as "isPgBoss"`);
      const [{ isPgBoss } = { isPgBoss: false }] = rows as { isPgBoss: boolean }[];
      const options = `'{"policy": "exclusive", "notify": true, "heartbeatSeconds": 30}'`;
      if (isPgBoss) await client.query(`select pgboss.create_queue('work', ${options})`);
    });
    return new Subject(postgres, checkout);
  }

  private constructor(postgres: LocalPostgres, checkout: Checkout) {
    this.postgres = postgres;
    this.#checkout = checkout;
    this.#database = new checkout.Database({
      url: postgres.url,
      connectionsMax: 8,
      queueMax: 1_000,
      acquireTimeoutMs: 60_000,
      statementTimeoutMs: 60_000,
      applicationName: 'strongroom bench',
    });
  }

  /** Returns the milliseconds from each commit to the start of its job. */
  async measureStarts(): Promise<number[]> {
    const runner = await this.#startRunner();
    const times: number[] = [];
    for (let number = 0; number < starts; number += 1) {
      const started = new Promise<number>((resolve) => {
        this.#onRun = () => resolve(performance.now());
      });
      await this.#enqueue([number]);
      const committedAt = performance.now();
      times.push(Math.max(0, (await started) - committedAt));
    }
    await runner.stop();
    return times;
  }

  /** Returns the seconds that a worker takes for jobs that wait when it starts. */
  async measureMany(): Promise<number> {
    for (let first = 0; first < jobs; first += perTransaction) {
      await this.#enqueue(Array.from({ length: perTransaction }, (_, index) => first + index));
    }
    const done = Promise.withResolvers<void>();
    const seen = new Set<number>();
    this.#onRun = (number) => {
      if (seen.add(number).size === jobs) done.resolve();
    };
    const startedAt = performance.now();
    const runner = await this.#startRunner();
    await done.promise;
    const seconds = (performance.now() - startedAt) / 1_000;
    await runner.stop();
    return seconds;
  }

  async stop(): Promise<void> {
    await this.#database.close();
    await this.postgres.stop();
  }

  #startRunner(): Promise<JobRunner> {
    const job = { name: 'work', run: async (payload: unknown) => this.#onRun((payload as { number: number }).number) };
    const { JobRunner: Runner, Metrics: AllMetrics } = this.#checkout;
    const address = { url: this.postgres.url };
    return Runner.start({ database: this.#database, address, jobs: [job], logger, metrics: new AllMetrics() });
  }

  async #enqueue(numbers: readonly number[]): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      for (const number of numbers) {
        const payload = JSON.stringify({ tenant_id: tenantId, number });
        await tx.query({
          text: `select enqueue_job('work', $1, $2, 0)`,
          values: [payload, `work:${number}`],
        });
      }
    });
  }
}

/** Migrates with the command of that checkout. Its migrations are its own. */
async function migrateWith(folder: string, url: string): Promise<void> {
  const env = { ...process.env, STRONGROOM_DATABASE_URL: url };
  await promisify(execFile)(process.execPath, [path.join(folder, 'server/src/main.ts'), 'migrate'], { env });
}

/** npm runs this script in its workspace, so a relative path is resolved against the folder in which npm was called. */
const folders = [
  path.resolve(import.meta.dirname, '../..'),
  ...(values.with === undefined ? [] : [path.resolve(process.env['INIT_CWD'] ?? '.', values.with)]),
];
const subjects: [string, Subject][] = [];
for (const [index, folder] of folders.entries()) {
  subjects.push([index === 0 ? 'now' : 'before', await Subject.prepare(folder)]);
}
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, subject] of subjects) {
    const times = await subject.measureStarts();
    const seconds = await subject.measureMany();
    process.stdout.write(
      `${name}, round ${round}: from commit to start ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms; ` +
        `${jobs} waiting jobs in ${seconds.toFixed(1)} s\n`,
    );
  }
}
for (const [, subject] of subjects) await subject.stop();
