import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * A PostgreSQL whose processes can all be stopped at once. To clients, this looks like a broken network or a dead host:
 * connections stay open, the operating system accepts new ones, and no response arrives.
 */
export class FreezablePostgres {
  readonly database: TestDatabase;
  readonly #postgres: LocalPostgres;
  readonly #frozen: number[] = [];
  #spared: readonly number[] = [];

  static async start(): Promise<FreezablePostgres> {
    const password = randomBytes(16).toString('hex');
    const postgres = await LocalPostgres.start({ password, settings: { fsync: 'off' } });
    await migrate(postgres.url);
    return new FreezablePostgres(postgres);
  }

  private constructor(postgres: LocalPostgres) {
    this.#postgres = postgres;
    this.database = openTestDatabase(postgres.url);
  }

  /** Stops all processes except those that serve clients whose application name begins with `sparing`. */
  async freeze({ sparing = 'nobody' } = {}): Promise<void> {
    const file = await readFile(path.join(this.#postgres.dataDirectory, 'postmaster.pid'), 'utf8');
    const postmaster = Number(file.split('\n')[0]);
    // The connection is opened before the postmaster is stopped and used afterwards, so that no process that is missing
    // from the list can start.
    const client = await this.database.owner.connect();
    process.kill(postmaster, 'SIGSTOP');
    this.#frozen.push(postmaster);
    const { rows } = await client.query<{ pid: number; isSpared: boolean }>(
      'select pid, starts_with(application_name, $1) as "isSpared" from pg_stat_activity',
      [sparing],
    );
    client.release();
    this.#spared = rows.filter(({ isSpared }) => isSpared).map(({ pid }) => pid);
    this.#stop(rows.filter(({ isSpared }) => !isSpared).map(({ pid }) => pid));
  }

  freezeRest(): void {
    this.#stop(this.#spared);
    this.#spared = [];
  }

  /** Safe to call more than once. */
  wake(): void {
    for (const pid of this.#frozen.splice(0)) process.kill(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    this.wake();
    await this.#postgres.stop();
  }

  #stop(pids: readonly number[]): void {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    this.#frozen.push(...pids);
  }
}
