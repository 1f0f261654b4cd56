import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeBackups } from './backup-configuration.ts';
import { Disk } from './disk.ts';
import { type Host, signalAll } from './host.ts';
import { makeFolderFor } from './folders.ts';
import type { MachineFaults } from './machine-faults.ts';
import { runCommand } from './run-command.ts';
import { Service } from './service.ts';

const recipe = path.resolve(import.meta.dirname, '../../deploy/high-availability');
const diskMegabytes = 3_000;

/** A database machine with etcd, Patroni and PostgreSQL, configured like the recipe in the documentation. */
export class DatabaseNode {
  readonly host: Host;
  readonly faults: MachineFaults;
  readonly disk: Disk;
  readonly etcd: Service;
  readonly patroni: Service;
  readonly #data: string;

  /** Creates a machine. `repository` is the folder for backups. */
  static async create(host: Host, faults: MachineFaults, repository: string): Promise<DatabaseNode> {
    const disk = await Disk.mount(path.join(host.folder, 'disk'), diskMegabytes);
    const node = new DatabaseNode(host, disk, faults);
    await node.#configure(repository);
    return node;
  }

  private constructor(host: Host, disk: Disk, faults: MachineFaults) {
    this.host = host;
    this.disk = disk;
    this.faults = faults;
    this.#data = path.join(disk.folder, 'vault');
    this.etcd = new Service(host, 'etcd', () => ({ command: ['etcd', '--config-file', this.#file('etcd.yml')] }));
    this.patroni = new Service(host, 'patroni', () => ({
      command: ['patroni', this.#file('patroni.yml')],
      user: 'postgres',
      environment: faults.environment,
    }));
  }

  /** Returns the process ids of PostgreSQL, the postmaster first. The list is empty if PostgreSQL is not running. */
  async postgres(): Promise<number[]> {
    const text = await readFile(path.join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '');
    const postmaster = Number(text.split('\n', 1)[0]);
    if (!(postmaster > 0)) return [];
    const children = await runCommand('ps', ['-o', 'pid=', '--ppid', String(postmaster)]).catch(() => '');
    return [
      postmaster,
      ...children
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(Number),
    ];
  }

  get backupConfiguration(): string {
    return this.#file('pgbackrest.conf');
  }

  async signalPostgres(signal: NodeJS.Signals): Promise<void> {
    signalAll(await this.postgres(), signal);
  }

  /** Makes PostgreSQL treat a WAL segment as archived. */
  async markArchived(segment: string): Promise<void> {
    const status = path.join(this.#data, 'pg_wal/archive_status', segment);
    await rename(`${status}.ready`, `${status}.done`);
  }

  async start(): Promise<void> {
    await this.etcd.start();
    await this.patroni.start();
  }

  #file(name: string): string {
    return path.join(this.host.folder, name);
  }

  /** Writes the recipe's files with the name, address and folders of this machine. */
  async #configure(repository: string): Promise<void> {
    const { name, address } = this.host;
    const own = path.join(this.host.folder, 'postgresql');
    await makeFolderFor('postgres', own);
    const patroni = (await readFile(path.join(recipe, 'patroni.yml'), 'utf8'))
      .replaceAll(/\bdb1\b/g, name)
      .replace(/(?<=listen: )10\.77\.0\.11(?=:8008)/, address)
      .replaceAll(/(?<=(?:listen|connect_address): )10\.77\.0\.11/g, address)
      .replace('data_dir: /var/lib/postgresql/vault', `data_dir: ${this.#data}`)
      .replaceAll('/var/lib/postgresql', own)
      .replace('/etc/pgbackrest.conf', this.backupConfiguration);
    await writeFile(this.#file('patroni.yml'), patroni);
    const folders = { data: this.#data, socket: own, repository };
    await writeFile(this.backupConfiguration, await describeBackups(this.host, folders));
    const etcd = (await readFile(path.join(recipe, 'etcd.yml'), 'utf8'))
      .replace(/^name: db1$/m, `name: ${name}`)
      .replaceAll(/(?<=-urls: http:\/\/)10\.77\.0\.11/g, address)
      .replace('/var/lib/etcd', path.join(this.host.folder, 'etcd'));
    await writeFile(this.#file('etcd.yml'), etcd);
  }
}
