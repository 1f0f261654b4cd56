import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { EventReceiver } from './event-receiver.ts';
import { LocalRsyslog } from './local-rsyslog.ts';
import { Program } from './program.ts';
import { fillLog } from './sealed-log.ts';
import { TestAuthority } from './test-authority.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** What `strongroom audit check-stream --json` prints. */
export interface PrintedVerdict {
  readonly ok: boolean;
  readonly unreadable: readonly string[];
  readonly findings: readonly { readonly kind: string }[];
  readonly tenants: readonly { readonly verified: number; readonly repeated: number }[];
}

interface Parts {
  readonly database: TestDatabase;
  readonly authority: TestAuthority;
  readonly receiver: EventReceiver;
  readonly rsyslog: LocalRsyslog;
  readonly directory: string;
}

/** Two workers, as processes that can be killed, which stream the log over HTTPS, over syslog and to a file. */
export class StreamPrograms {
  readonly receiver: EventReceiver;
  readonly rsyslog: LocalRsyslog;
  readonly directory: string;
  readonly #parts: Parts;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #workers: Program[] = [];
  #tenantId = '';
  #publicKey = '';

  static async start(): Promise<StreamPrograms> {
    const [database, authority, directory] = await Promise.all([
      createTestDatabase(),
      TestAuthority.create(),
      mkdtemp(path.join(tmpdir(), 'strongroom-streams-')),
    ]);
    const receiver = await EventReceiver.start(await authority.issue(['127.0.0.1']));
    const rsyslog = await LocalRsyslog.start(authority);
    await writeFile(path.join(directory, 'ca.pem'), authority.certificate);
    const programs = new StreamPrograms({ database, authority, receiver, rsyslog, directory });
    await programs.#prepare();
    return programs;
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { database, receiver, rsyslog, directory } = parts;
    this.receiver = receiver;
    this.rsyslog = rsyslog;
    this.directory = directory;
    const authority_file = path.join(directory, 'ca.pem');
    const streams = [
      { name: 'https', kind: 'https', url: `https://127.0.0.1:${receiver.port}/`, authority_file },
      { name: 'syslog', kind: 'syslog', host: '127.0.0.1', port: rsyslog.port, authority_file },
      { name: 'file', kind: 'file', path: this.file },
    ];
    this.#settings = {
      STRONGROOM_DATABASE_URL: database.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_WORKER_ADMIN_PORT: '0',
      STRONGROOM_LOG_LEVEL: 'error',
      STRONGROOM_LOG_STREAMS: JSON.stringify(streams),
    };
  }

  get file(): string {
    return path.join(this.directory, 'file.ndjson');
  }

  /** Writes records, as servers do. */
  write(count: number): Promise<void> {
    return fillLog(this.#parts.database, { tenantId: this.#tenantId, count });
  }

  async startWorker(): Promise<void> {
    const program = Program.start(['work', '--json'], this.#settings);
    await program.ready();
    this.#workers.push(program);
  }

  /** Kills the worker that has been running for longest. */
  async killWorker(): Promise<void> {
    await this.#workers.shift()?.stop('SIGKILL');
  }

  /** Returns true if everything is sealed, and every stream has everything. */
  async isEverythingSent(): Promise<boolean> {
    const { rows } = await this.#parts.database.owner.query(
      `select from audit_records, audit_sealing where sealing_order >= sealed_to
        union all select from (select tenant_id, max(number) as number from audit_checkpoints group by tenant_id) c
        cross join unnest(array['https', 'syslog', 'file']) as name
        left join audit_stream_positions p on p.tenant_id = c.tenant_id and p.stream = name
        where p.number is distinct from c.number limit 1`,
    );
    return rows.length === 0;
  }

  /** Counts the checkpoints that were sealed, and those that the receiver of each stream has accepted. */
  async countSteps(): Promise<number> {
    const { rows } = await this.#parts.database.owner.query<{ steps: number }>(
      `select ((select count(*) from audit_checkpoints)
        + (select coalesce(sum(number), 0) from audit_stream_positions))::integer as steps`,
    );
    return rows[0]?.steps ?? 0;
  }

  async countRecords(): Promise<number> {
    const { rows } = await this.#parts.database.owner.query<{ count: number }>(
      'select count(*)::integer as count from audit_records',
    );
    return rows[0]?.count ?? 0;
  }

  /** Lists the files of the stream to a file: those that were full, and the one that is written. */
  async listFiles(): Promise<string[]> {
    const name = path.basename(this.file);
    const names = (await readdir(this.directory)).filter((each) => each.startsWith(name));
    return names.map((each) => path.join(this.directory, each));
  }

  /** Checks what a receiver has, with the command and without the database. */
  async check(...files: string[]): Promise<PrintedVerdict> {
    const command = ['audit', 'check-stream', ...files, '--public-key', this.#publicKey, '--json'];
    const { stdout } = await Program.run(command, {});
    return JSON.parse(stdout) as PrintedVerdict;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((program) => program.stop('SIGKILL')));
    const { receiver, rsyslog, authority, database, directory } = this.#parts;
    await Promise.all([receiver.stop(), rsyslog.stop(), authority.remove(), rm(directory, { recursive: true })]);
    await database.drop();
  }

  async #prepare(): Promise<void> {
    const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], this.#settings);
    this.#tenantId = (JSON.parse(stdout) as { tenant_id: string }).tenant_id;
    await this.startWorker();
    await this.startWorker();
    const verified = await Program.run(['audit', 'verify', '--json'], this.#settings);
    this.#publicKey = (JSON.parse(verified.stdout) as { public_key: string }).public_key;
  }
}
