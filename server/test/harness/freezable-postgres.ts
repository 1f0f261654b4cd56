import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * A PostgreSQL whose processes can be stopped all at once. That is what a broken network or a dead host looks like: connections stand,
 * new ones are accepted by the operating system, and nothing comes back.
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

  /** Without those of clients whose application name begins so: what they have open stays alive. */
  async freeze({ sparing = 'nobody' } = {}): Promise<void> {
    const file = await readFile(path.join(this.#postgres.dataDirectory, 'postmaster.pid'), 'utf8');
    const postmaster = Number(file.split('\n')[0]);
    // Opened before, and asked after the first of them is stopped, so that no process is started that is not in the list.
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
