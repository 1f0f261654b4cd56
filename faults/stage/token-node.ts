import { appendFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { Disk } from './disk.ts';
import { makeFolderFor } from './folders.ts';
import { type Host, signalAll } from './host.ts';
import type { MachineFaults } from './machine-faults.ts';
import { ports } from './ports.ts';
import { Service } from './service.ts';
import { openSession, runIn, superuserPassword } from './superuser.ts';
import { until } from './until.ts';

const binaries = '/usr/lib/postgresql/15/bin';
const diskMegabytes = 2_000;

/** What every PostgreSQL of such a machine is started with. A node needs prepared transactions; the rest is as in the recipe. */
const settings = {
  max_connections: '200',
  max_prepared_transactions: '100',
  shared_buffers: '64MB',
  wal_log_hints: 'on',
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
};

/**
 * A machine for a node: a PostgreSQL server that can hold tokens, and a standby beside it that confirms what it commits. A node that fails is
 * back when it is started again, or when the standby has taken its place. Nobody else decides that: how a database changes its primary by
 * itself is what the machines of home are for.
 */
export class TokenNode {
  readonly host: Host;
  readonly faults: MachineFaults;
  readonly disk: Disk;
  readonly postgres: Service;
  readonly standby: Service;
  readonly #socket: string;
  /** The folders of both, which change places. */
  #primaryData = 'first';
  #standbyData = 'second';

  static async create(host: Host, faults: MachineFaults): Promise<TokenNode> {
    const disk = await Disk.mount(path.join(host.folder, 'disk'), diskMegabytes);
    const node = new TokenNode(host, disk, faults);
    await makeFolderFor('postgres', node.#socket);
    return node;
  }

  private constructor(host: Host, disk: Disk, faults: MachineFaults) {
    this.host = host;
    this.disk = disk;
    this.faults = faults;
    this.#socket = path.join(host.folder, 'postgresql');
    const primary = { name: 'postgres', port: ports.database, folder: () => this.#folder(this.#primaryData) };
    this.postgres = this.#service(primary, { synchronous_standby_names: '*' });
    const standby = { name: 'standby', port: ports.standby, folder: () => this.#folder(this.#standbyData) };
    this.standby = this.#service(standby, {});
  }

  /** Where the vault finds it, through a line of the suite that can be broken. */
  get setting(): string {
    return `${this.host.name}=postgresql://vault:vault-password@127.0.0.1:${this.linePort}/vault`;
  }

  /** The line to it, as machines with a server call it. */
  get line(): `node${number}` {
    return `node${this.#number}`;
  }

  /** Every machine with a server listens here for this node. */
  get linePort(): number {
    return ports.firstNode + this.#number;
  }

  get #number(): number {
    return Number(/\d+$/.exec(this.host.name)?.[0]);
  }

  /** Creates an empty database, its standby and the role of the vault. */
  async bringUp(): Promise<void> {
    await this.#initialize();
    await this.postgres.start();
    await until(`PostgreSQL on ${this.host.name}`, 60, () => this.#isPrimary());
    await this.#addStandby();
    await this.query(`create role vault login createrole password 'vault-password'`, 'postgres');
    await this.query('grant pg_read_all_stats to vault', 'postgres');
    await this.query('create database vault owner vault', 'postgres');
  }

  async start(): Promise<void> {
    await this.postgres.start();
    await this.standby.start();
  }

  /** The server dies, its standby takes its place with everything that was confirmed, and gets a standby of its own. */
  async failOver(): Promise<void> {
    await this.signal('SIGKILL');
    await this.postgres.stop('SIGKILL');
    await this.#promote();
    await this.standby.stop('SIGINT');
    [this.#primaryData, this.#standbyData] = [this.#standbyData, this.#primaryData];
    await rm(this.#folder(this.#standbyData), { recursive: true });
    await this.postgres.start();
    await until(`PostgreSQL on ${this.host.name}`, 60, () => this.#isPrimary());
    await this.#addStandby();
  }

  /** Every process of the server that serves, at once. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    signalAll(await this.postgres.family(), signal);
  }

  connect(database = 'vault'): Promise<pg.Client> {
    return openSession(this.host.address, database);
  }

  query<Row extends pg.QueryResultRow>(text: string, database = 'vault'): Promise<Row[]> {
    return runIn<Row>(this.connect(database), text);
  }

  /** Whether it takes writes, and a standby confirms them. */
  async isHealthy(): Promise<boolean> {
    const text = `select count(*)::int as confirming from pg_stat_replication where sync_state in ('sync', 'quorum')`;
    const rows = await this.query<{ confirming: number }>(text, 'postgres').catch(() => []);
    return (rows[0]?.confirming ?? 0) > 0;
  }

  async #addStandby(): Promise<void> {
    const target = this.#folder(this.#standbyData);
    const copy = ['pg_basebackup', '-h', this.#socket, '-R', '-X', 'stream', '-c', 'fast', '-D', target];
    await this.host.run({ command: copy, user: 'postgres' });
    await this.standby.start();
    await until(`the standby on ${this.host.name}`, 60, () => this.isHealthy());
  }

  async #promote(): Promise<void> {
    const command = [`${binaries}/pg_ctl`, 'promote', '-w', '-D', this.#folder(this.#standbyData)];
    await this.host.run({ command, user: 'postgres' });
  }

  async #isPrimary(): Promise<boolean> {
    return this.query('select', 'postgres').then(
      () => true,
      () => false,
    );
  }

  async #initialize(): Promise<void> {
    const secret = path.join(this.host.folder, 'superuser');
    await writeFile(secret, superuserPassword, { mode: 0o644 });
    const words = ['--auth-local=peer', '--auth-host=scram-sha-256', `--pwfile=${secret}`, '--data-checksums'];
    await this.host.run({
      command: [
        `${binaries}/initdb`,
        '-D',
        this.#folder(this.#primaryData),
        '-U',
        'postgres',
        '--encoding=UTF8',
        ...words,
      ],
      user: 'postgres',
    });
    await appendFile(
      path.join(this.#folder(this.#primaryData), 'pg_hba.conf'),
      'host all all 10.77.0.0/24 scram-sha-256\nlocal replication postgres peer\n',
    );
  }

  #service(
    { name, port, folder }: { readonly name: string; readonly port: number; readonly folder: () => string },
    own: Readonly<Record<string, string>>,
  ): Service {
    const all = {
      ...settings,
      ...own,
      listen_addresses: this.host.address,
      port: String(port),
      unix_socket_directories: this.#socket,
    };
    const options = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    return new Service(this.host, name, () => ({
      command: [`${binaries}/postgres`, '-D', folder(), ...options],
      user: 'postgres',
      environment: this.faults.environment,
    }));
  }

  #folder(name: string): string {
    return path.join(this.disk.folder, name);
  }
}
