import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { findProcessOwner } from '../../src/platform/local-postgres/postgres-binaries.ts';
import { untilPasses } from './deadline.ts';
import { makeDirectory } from './postgres-directory.ts';

const run = promisify(execFile);

/** A PostgreSQL that archives its write-ahead log, and the servers restored from a base backup and that archive. */
export class ArchivedPostgres {
  readonly postgres: LocalPostgres;
  /** The directory that contains the archive and the restored cluster. */
  readonly directory: string;
  readonly #password: string;
  #restored: LocalPostgres | undefined;

  static async start(): Promise<ArchivedPostgres> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'));
    await chmod(directory, 0o711);
    const archive = await makeDirectory(directory, 'archive');
    const password = randomBytes(16).toString('hex');
    const settings = { ...quick, archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
    return new ArchivedPostgres(await LocalPostgres.start({ password, settings }), directory, password);
  }

  private constructor(postgres: LocalPostgres, directory: string, password: string) {
    this.postgres = postgres;
    this.directory = directory;
    this.#password = password;
  }

  /** Takes a base backup without write-ahead log, so that a restore has to read the log from the archive. */
  async takeBaseBackup(): Promise<void> {
    const cluster = await makeDirectory(this.directory, 'postgres');
    const flags = ['-D', cluster, '-X', 'none', '--checkpoint=fast', '--no-sync', '-d', this.postgres.url];
    await run(path.join(this.postgres.binaryDirectory, 'pg_basebackup'), flags, {
      ...(await findProcessOwner()),
      cwd: cluster,
    });
  }

  /** Starts a second server from the base backup and everything archived so far. */
  restore(): Promise<LocalPostgres> {
    // The server accepts no connections until everything is replayed. Otherwise it would report that it is ready, as a
    // standby, before that.
    return this.#startFromBackup('recovery.signal', { hot_standby: 'off' });
  }

  /** Starts a readable standby from the same backup, which keeps waiting for more log. */
  startStandby(): Promise<LocalPostgres> {
    return this.#startFromBackup('standby.signal');
  }

  async stop(): Promise<void> {
    await this.#restored?.stop();
    await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #startFromBackup(
    signalFile: 'recovery.signal' | 'standby.signal',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<LocalPostgres> {
    await this.#archiveAll();
    await writeFile(path.join(this.directory, 'postgres', signalFile), '');
    const restore_command = `cp ${path.join(this.directory, 'archive')}/%f %p`;
    this.#restored = await LocalPostgres.start({
      password: this.#password,
      dataDirectory: this.directory,
      settings: { ...quick, ...settings, restore_command },
    });
    return this.#restored;
  }

  async #archiveAll(): Promise<void> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
    await untilPasses(async () => {
      const { rows: archived } = await client.query<{ last: string | null }>(
        'select last_archived_wal as last from pg_stat_archiver',
      );
      if ((archived[0]?.last ?? '') < (rows[0]?.name ?? '?')) throw new Error('The log is not archived yet.');
    });
    await client.end();
  }
}

/** The data does not have to survive a crash, because it is read only by this process. */
const quick = { fsync: 'off', synchronous_commit: 'off' };
