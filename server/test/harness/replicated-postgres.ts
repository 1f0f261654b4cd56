import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { findProcessOwner } from '../../src/platform/local-postgres/postgres-binaries.ts';
import { untilTrue } from './deadline.ts';
import { makeDirectory } from './postgres-directory.ts';

const run = promisify(execFile);
const standbyName = 'second';

/** A primary and a streaming standby that can be stopped, started and frozen. */
export class ReplicatedPostgres {
  readonly primary: LocalPostgres;
  readonly #admin: pg.Client;
  readonly #directory: string;
  readonly #password: string;
  #standby: LocalPostgres | undefined;
  #frozen: number | undefined;

  static async start(): Promise<ReplicatedPostgres> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-replica-'));
    await chmod(directory, 0o711);
    const password = randomBytes(16).toString('hex');
    const primary = await LocalPostgres.start({ password, settings: { fsync: 'off' } });
    const admin = new pg.Client({ connectionString: primary.url });
    await admin.connect();
    return new ReplicatedPostgres({ primary, admin, directory, password });
  }

  private constructor(parts: { primary: LocalPostgres; admin: pg.Client; directory: string; password: string }) {
    this.primary = parts.primary;
    this.#admin = parts.admin;
    this.#directory = parts.directory;
    this.#password = parts.password;
  }

  /** Starts the standby, copying the primary first if there is no copy yet. Resolves when it is streaming. */
  async startStandby(): Promise<void> {
    this.#standby = await LocalPostgres.start({
      password: this.#password,
      dataDirectory: await this.#ensureCopy(),
      settings: {
        fsync: 'off',
        primary_conninfo: `${this.primary.url}?application_name=${standbyName}`,
        // A commit that began to wait while the list was changing is confirmed by the standby's next status report.
        wal_receiver_status_interval: '1s',
      },
    });
    await this.#untilStreaming(true);
  }

  async stopStandby(): Promise<void> {
    this.thaw();
    await this.#standby?.stop();
    this.#standby = undefined;
    await this.#untilStreaming(false);
  }

  /**
   * Sets the list of required standbys as Patroni does. In its lenient mode, the list becomes empty as
   * soon as there is no standby.
   */
  async requireStandby(names: string): Promise<void> {
    const { rows } = await this.#admin.query<{ names: string }>(
      `select current_setting('synchronous_standby_names') as names`,
    );
    // A reload without a change would reach sessions at a time that cannot be observed.
    if (rows[0]?.names !== names) {
      await this.#admin.query(`alter system set synchronous_standby_names = '${names}'`);
      await this.#admin.query('select pg_reload_conf()');
    }
    await untilTrue(async () => (await this.#count(`sync_state = '${stateUnder(names)}'`)) === 1, {
      waitingFor: 'the configuration to be read',
    });
  }

  /** Freezes the standby's receiver: it stays connected but confirms nothing. */
  async freeze(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#standby?.url ?? '' });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_wal_receiver');
    await client.end();
    this.#frozen = rows[0]?.pid;
    if (this.#frozen !== undefined) process.kill(this.#frozen, 'SIGSTOP');
  }

  thaw(): void {
    if (this.#frozen !== undefined) process.kill(this.#frozen, 'SIGCONT');
    this.#frozen = undefined;
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.#standby?.stop();
    await this.#admin.end();
    await this.primary.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #ensureCopy(): Promise<string> {
    const directory = path.join(this.#directory, 'standby');
    const hasCopy = await makeDirectory(this.#directory, 'standby').then(
      () => false,
      () => true,
    );
    if (hasCopy) return directory;
    await chmod(directory, 0o711);
    const cluster = await makeDirectory(directory, 'postgres');
    // The flag -R makes the copy a standby.
    const flags = ['-D', cluster, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync', '-d', this.primary.url];
    await run(path.join(this.primary.binaryDirectory, 'pg_basebackup'), flags, {
      ...(await findProcessOwner()),
      cwd: cluster,
    });
    return directory;
  }

  async #untilStreaming(isExpected: boolean): Promise<void> {
    await untilTrue(async () => ((await this.#count('true')) === 1) === isExpected, { waitingFor: 'the standby' });
  }

  async #count(condition: string): Promise<number> {
    const { rows } = await this.#admin.query(
      `select from pg_stat_replication where state = 'streaming' and application_name = '${standbyName}' and ${condition}`,
    );
    return rows.length;
  }
}

/**
 * Returns the standby's state after PostgreSQL has loaded this list. The state differs for each kind of list, so it
 * shows that the new list is in effect.
 */
function stateUnder(names: string): string {
  if (names === '') return 'async';
  return names.startsWith('ANY') ? 'quorum' : 'sync';
}
