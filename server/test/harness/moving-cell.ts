import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilPasses } from './deadline.ts';
import { KillablePostgres } from './killable-postgres.ts';
import { Program } from './program.ts';

const run = promisify(execFile);

export interface CellTenant {
  readonly id: string;
  readonly management: string;
}

/** A cell from which tenants move, or to which: a server, a worker, a PostgreSQL and a root key of its own. */
export class MovingCell {
  readonly name: string;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly postgres: KillablePostgres;
  /** A file with the settings, for the command that moves tenants. */
  readonly settingsFile: string;
  readonly #directory: string;
  readonly #programs: Program[] = [];

  static async start(name: string, more: Readonly<Record<string, string>> = {}): Promise<MovingCell> {
    const postgres = await KillablePostgres.start({ wal_level: 'logical', fsync: 'off', ...more });
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-cell-'));
    await chmod(directory, 0o700);
    const port = await findFreePort();
    const settings = {
      STRONGROOM_CELL: name,
      STRONGROOM_DATABASE_URL: postgres.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_PUBLIC_URL: 'http://localhost',
      STRONGROOM_HOST: '127.0.0.1',
      STRONGROOM_PORT: String(port),
      STRONGROOM_ADMIN_PORT: '0',
      STRONGROOM_WORKER_ADMIN_PORT: '0',
      STRONGROOM_LOG_LEVEL: 'error',
      STRONGROOM_RATE_LIMITS: 'off',
    };
    const settingsFile = path.join(directory, `${name}.env`);
    const lines = Object.entries(settings).map(([variable, value]) => `${variable}='${value}'`);
    await writeFile(settingsFile, `# The settings of ${name}\n${lines.join('\n')}\n`, { mode: 0o600 });
    const cell = new MovingCell({ name, port, settings, postgres, settingsFile, directory });
    await cell.run('migrate');
    cell.#programs.push(Program.start(['serve', '--json'], settings), Program.start(['work', '--json'], settings));
    await Promise.all(cell.#programs.map((program) => program.ready()));
    return cell;
  }

  private constructor(parts: {
    name: string;
    port: number;
    settings: Readonly<Record<string, string>>;
    postgres: KillablePostgres;
    settingsFile: string;
    directory: string;
  }) {
    this.name = parts.name;
    this.url = `http://127.0.0.1:${parts.port}`;
    this.settings = parts.settings;
    this.postgres = parts.postgres;
    this.settingsFile = parts.settingsFile;
    this.#directory = parts.directory;
  }

  /** Runs a command of this cell. Throws if it fails. */
  async run(...command: string[]): Promise<string> {
    const { code, stdout, stderr } = await Program.run(command, this.settings);
    if (code !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
    return stdout;
  }

  async makeTenant(): Promise<CellTenant> {
    const made = JSON.parse(await this.run('bootstrap', '--name', 'Moving', '--json')) as {
      tenant_id: string;
      keys: { management: string };
    };
    return { id: made.tenant_id, management: made.keys.management };
  }

  /** Runs a statement as a superuser, in a session of its own. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Dumps the database and returns the path of the dump. */
  async dump(): Promise<string> {
    const file = path.join(this.#directory, `${crypto.randomUUID()}.dump`);
    await run(path.join(this.postgres.binaryDirectory, 'pg_dump'), ['--format=custom', '-f', file, this.postgres.url]);
    return file;
  }

  /** Proves the oldest record of a tenant, as soon as it is sealed. Returns the path of the proof. */
  async prove(tenantId: string): Promise<string> {
    const [record] = await this.query<{ id: string }>(
      'select id from audit_records where tenant_id = $1 order by sealing_order, id limit 1',
      [tenantId],
    );
    const prove = () => this.run('audit', 'prove', '--tenant', tenantId, '--record', record?.id ?? '');
    const file = path.join(this.#directory, `${crypto.randomUUID()}.json`);
    await writeFile(file, await untilPasses(prove));
    return file;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop('SIGKILL')));
    await this.postgres.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Starts the command that moves a tenant. */
export function startMove(
  tenantId: string,
  { source, target }: { readonly source: MovingCell; readonly target: MovingCell },
  ...flags: string[]
): Program {
  const command = ['tenants', 'move', '--tenant', tenantId, '--to', target.settingsFile, '--json', ...flags];
  return Program.start(command, source.settings);
}
