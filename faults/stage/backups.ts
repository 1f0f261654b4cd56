import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApplicationNode } from './application-node.ts';
import { describeBackups } from './backup-configuration.ts';
import type { DatabaseNode } from './database-node.ts';
import { makeFolderFor } from './folders.ts';
import type { Host } from './host.ts';
import { ports } from './ports.ts';
import { Service } from './service.ts';
import { until } from './until.ts';

const binaries = '/usr/lib/postgresql/15/bin';

/** The content of a database that was restored to a point in time. */
export interface Restored {
  /** The point in time, in milliseconds since the epoch. */
  readonly moment: number;
  readonly tokenIds: ReadonlySet<string>;
  /** The error of `strongroom backup verify`, if any. */
  readonly complaint: string | undefined;
}

/** Backups of the running cluster, and point-in-time restores on a separate machine. */
export class Backups {
  readonly restored: Restored[] = [];
  readonly #host: Host;
  readonly #repository: string;

  constructor(host: Host, repository: string) {
    this.#host = host;
    this.#repository = repository;
  }

  async take(primary: DatabaseNode, type: 'full' | 'incr'): Promise<void> {
    const command = (words: readonly string[]) => this.#asPostgres(primary.host, primary.backupConfiguration, words);
    await command(['stanza-create']);
    await command(['backup', `--type=${type}`]);
  }

  /**
   * Restores the database to a point in time that has been archived, and starts PostgreSQL on the result. The vault's
   * own command then decrypts everything, on another machine.
   */
  async restore(moment: number, application: ApplicationNode): Promise<void> {
    const data = path.join(this.#host.folder, `restored-${this.restored.length + 1}`);
    const socket = path.join(this.#host.folder, 'socket');
    await Promise.all([data, socket].map((folder) => makeFolderFor('postgres', folder)));
    const configuration = path.join(this.#host.folder, 'pgbackrest.conf');
    const folders = { data, socket, repository: this.#repository };
    await writeFile(configuration, await describeBackups(this.#host, folders));
    const target = [`--target=${new Date(moment).toISOString().replace('T', ' ').replace('Z', '+00')}`];
    await this.#asPostgres(this.#host, configuration, ['restore', '--type=time', ...target, '--target-action=promote']);
    const settings = {
      listen_addresses: this.#host.address,
      unix_socket_directories: socket,
      synchronous_standby_names: '',
      archive_mode: 'off',
      hba_file: path.join(data, 'pg_hba.conf'),
      ident_file: path.join(data, 'pg_ident.conf'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const service = new Service(this.#host, 'postgres', () => ({
      command: [`${binaries}/postgres`, '-D', data, ...options],
      user: 'postgres',
    }));
    await service.start();
    try {
      await until('the restored database', 120, () => this.#isPrimary(socket));
      await this.#psql(socket, 'alter role vault createdb');
      const tokenIds = new Set((await this.#psql(socket, 'select id from tokens')).split('\n').filter(Boolean));
      this.restored.push({ moment, tokenIds, complaint: await this.#verify(socket, application) });
    } finally {
      await service.stop('SIGINT');
    }
  }

  async #verify(socket: string, application: ApplicationNode): Promise<string | undefined> {
    const dump = path.join(this.#host.folder, 'vault.dump');
    await this.#run(['pg_dump', '-h', socket, '--format=custom', `--file=${socket}/vault.dump`, 'vault']);
    await this.#host.run({ command: ['mv', `${socket}/vault.dump`, dump] });
    const url = `postgresql://vault:vault-password@${this.#host.address}:${ports.database}/vault`;
    return application
      .run(['backup', 'verify', '--dump', dump], { STRONGROOM_DATABASE_URL: url })
      .then(() => undefined)
      .catch(String);
  }

  async #isPrimary(socket: string): Promise<boolean> {
    const answer = await this.#psql(socket, 'select pg_is_in_recovery()').catch(() => '');
    return answer.trim() === 'f';
  }

  #psql(socket: string, statement: string): Promise<string> {
    return this.#run(['psql', '-h', socket, '-XAtq', '-d', 'vault', '-c', statement]);
  }

  #run(command: readonly string[]): Promise<string> {
    return this.#host.run({ command, user: 'postgres' });
  }

  #asPostgres(host: Host, configuration: string, words: readonly string[]): Promise<string> {
    const command = ['pgbackrest', `--config=${configuration}`, '--stanza=vault', ...words];
    return host.run({ command, user: 'postgres' });
  }
}
