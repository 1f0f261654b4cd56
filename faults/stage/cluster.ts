import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { ApplicationNode } from './application-node.ts';
import { Backups } from './backups.ts';
import { DatabaseNode } from './database-node.ts';
import { makeFolderFor } from './folders.ts';
import { buildMachineFaults, MachineFaults } from './machine-faults.ts';
import { Network, outsideAddress } from './network.ts';
import { Outside } from './outside.ts';
import { ports } from './ports.ts';
import { until } from './until.ts';

const password = 'superuser-password';

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/**
 * The whole vault: three database machines, two machines with a server and a worker each, and the external services.
 */
export class Cluster {
  readonly folder: string;
  readonly network: Network;
  readonly databases: readonly DatabaseNode[];
  readonly applications: readonly ApplicationNode[];
  readonly outside: Outside;
  readonly backups: Backups;

  static async start(folder: string, main: string): Promise<Cluster> {
    await mkdir(folder, { recursive: true });
    const network = await Network.create();
    const library = await buildMachineFaults(folder);
    const repository = path.join(folder, 'backups');
    await makeFolderFor('postgres', repository);
    const databases: DatabaseNode[] = [];
    for (const number of [1, 2, 3]) {
      const host = await network.add(`db${number}`, 10 + number, path.join(folder, `db${number}`));
      databases.push(await DatabaseNode.create(host, await MachineFaults.create(host, library), repository));
    }
    const outside = await Outside.start(
      folder,
      [21, 22].map((number) => `10.77.0.${number}`),
    );
    const settings = { ...vaultSettings(folder), ...outside.settings };
    const applications: ApplicationNode[] = [];
    for (const number of [1, 2]) {
      const host = await network.add(`app${number}`, 20 + number, path.join(folder, `app${number}`));
      applications.push(
        await ApplicationNode.create(host, await MachineFaults.create(host, library), { main, settings }),
      );
    }
    const backups = new Backups(await network.add('restore', 31, path.join(folder, 'restore')), repository);
    const cluster = new Cluster({ folder, network, databases, applications, outside, backups });
    await cluster.#bringUp();
    return cluster;
  }

  private constructor(
    parts: Pick<Cluster, 'folder' | 'network' | 'databases' | 'applications' | 'outside' | 'backups'>,
  ) {
    this.folder = parts.folder;
    this.network = parts.network;
    this.databases = parts.databases;
    this.applications = parts.applications;
    this.outside = parts.outside;
    this.backups = parts.backups;
  }

  get url(): string {
    return `http://${outsideAddress}:${ports.front}`;
  }

  /** The file that workers write checkpoints to. It is separate from the database. */
  get anchorFile(): string {
    return anchorIn(this.folder);
  }

  /** Returns Patroni's view of its members. Empty if no Patroni responds. */
  async members(): Promise<readonly Member[]> {
    for (const { host } of this.databases) {
      const answer = await ask(`http://${host.address}:${ports.patroni}/cluster`);
      if (answer !== undefined) return (JSON.parse(answer) as { members: Member[] }).members;
    }
    return [];
  }

  async primary(): Promise<DatabaseNode | undefined> {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    return this.databases.find(({ host }) => host.name === leader?.name);
  }

  /** Returns the machine whose PostgreSQL accepts writes, even if Patroni does not call it the leader. */
  async writable(): Promise<DatabaseNode | undefined> {
    for (const node of this.databases) {
      const answer = await ask(`http://${node.host.address}:${ports.patroni}/health`);
      if (answer !== undefined && (JSON.parse(answer) as { role: string }).role === 'master') return node;
    }
    return undefined;
  }

  async standbys(): Promise<DatabaseNode[]> {
    const primary = await this.primary();
    return this.databases.filter((node) => node !== primary);
  }

  /**
   * Returns true if a primary, a synchronous standby and another standby are running, and all servers and workers are
   * ready and in use.
   */
  async isHealthy(): Promise<boolean> {
    return (await this.isDatabaseHealthy()) && (await this.isVaultReady()) && (await this.isBalanced());
  }

  async isDatabaseHealthy(): Promise<boolean> {
    const members = await this.members();
    const isUp = ({ state }: Member) => state === 'running' || state === 'streaming';
    return (
      members.length === this.databases.length &&
      members.every(isUp) &&
      members.filter(({ role }) => role === 'leader').length === 1 &&
      members.some(({ role }) => role === 'sync_standby') &&
      (await this.#isEveryDatabaseUp())
    );
  }

  /**
   * Queries every database directly, because Patroni's information about a member may be as old as the member's lease.
   */
  async #isEveryDatabaseUp(): Promise<boolean> {
    const own = this.databases.map(({ host }) => ask(`http://${host.address}:${ports.patroni}/health`));
    if ((await Promise.all(own)).includes(undefined)) return false;
    const text = `select count(*)::int as streaming from pg_stat_replication where state = 'streaming'`;
    const rows = await this.query<{ streaming: number }>(text, 'postgres').catch(() => []);
    return rows[0]?.streaming === this.databases.length - 1;
  }

  async isVaultReady(): Promise<boolean> {
    const asked = this.applications.flatMap((node) => [node.isServerReady(), node.isWorkerReady()]);
    return (await Promise.all(asked)).every(Boolean);
  }

  /** Returns true if the clients' load balancer sends requests to every server. */
  async isBalanced(): Promise<boolean> {
    const answer = (await ask(`http://${outsideAddress}:${ports.frontStatistics}/;csv`)) ?? '';
    const lines = answer.split('\n').filter((line) => line.startsWith('vault,app'));
    return lines.length === this.applications.length && lines.every((line) => line.split(',').includes('UP'));
  }

  /** Opens a superuser connection to the primary. The caller must close it. */
  async connect(database = 'vault'): Promise<pg.Client> {
    const primary = await this.primary();
    if (primary === undefined) throw new Error('There is no primary.');
    const { address: host } = primary.host;
    const client = new pg.Client({
      host,
      port: ports.database,
      user: 'postgres',
      password,
      database,
      connectionTimeoutMillis: 5_000,
      query_timeout: 60_000,
    });
    await client.connect();
    return client;
  }

  /** Runs one statement on the primary. */
  async query<Row extends pg.QueryResultRow>(text: string, database = 'vault'): Promise<Row[]> {
    const client = await this.connect(database);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #bringUp(): Promise<void> {
    await Promise.all(this.databases.map((node) => node.start()));
    await until('three database machines', 300, () => this.isDatabaseHealthy());
    await this.query(`create role vault login createrole password 'vault-password'`, 'postgres');
    // The vault needs this to check whether a standby is attached.
    await this.query('grant pg_read_all_stats to vault', 'postgres');
    await this.query('create database vault owner vault', 'postgres');
    const primary = await this.primary();
    if (primary !== undefined) await this.backups.take(primary, 'full');
    await Promise.all(this.applications.map((node) => node.startGround()));
  }
}

/** Returns the text of a successful response. Undefined for any other response or after a timeout. */
async function ask(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

function anchorIn(folder: string): string {
  return path.join(folder, 'anchor.ndjson');
}

function vaultSettings(folder: string): Record<string, string> {
  return {
    STRONGROOM_DATABASE_URL: `postgresql://vault:vault-password@127.0.0.1:${ports.database}/vault`,
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '0.0.0.0',
    STRONGROOM_PORT: String(ports.server),
    STRONGROOM_ADMIN_HOST: '0.0.0.0',
    STRONGROOM_ADMIN_PORT: String(ports.serverAdmin),
    STRONGROOM_WORKER_ADMIN_PORT: String(ports.workerAdmin),
    // Rate limits are counted in Redis, but are too high to be reached.
    STRONGROOM_RATE_LIMITS: ['global', 'token-search', 'token-list', 'token-write', 'key-guessing', 'mail']
      .map((scope) => `${scope}=1000000`)
      .join(),
    STRONGROOM_DRAIN_DELAY_SECONDS: '2',
    STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY: 'true',
    STRONGROOM_AUDIT_ANCHOR_FILE: anchorIn(folder),
  };
}
