import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilPasses } from './deadline.ts';

/** A PostgreSQL that can be killed and comes back at the same address with everything that it had committed. */
export class KillablePostgres {
  readonly url: string;
  readonly #directory: string;
  readonly #password: string;
  readonly #settings: Readonly<Record<string, string>>;
  #postgres: LocalPostgres;

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<KillablePostgres> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-killable-'));
    await chmod(directory, 0o711);
    const password = randomBytes(16).toString('hex');
    const all = { ...settings, port: String(await findFreePort()) };
    const postgres = await LocalPostgres.start({ password, dataDirectory: directory, settings: all });
    return new KillablePostgres({ directory, password, settings: all, postgres });
  }

  private constructor(parts: {
    directory: string;
    password: string;
    settings: Readonly<Record<string, string>>;
    postgres: LocalPostgres;
  }) {
    this.#directory = parts.directory;
    this.#password = parts.password;
    this.#settings = parts.settings;
    this.#postgres = parts.postgres;
    this.url = `postgresql://postgres:${parts.password}@127.0.0.1:${parts.settings['port']}/postgres`;
  }

  get binaryDirectory(): string {
    return this.#postgres.binaryDirectory;
  }

  /** Kills all processes of the server, and starts it again. */
  async killAndRestart(): Promise<void> {
    const file = await readFile(path.join(this.#postgres.dataDirectory, 'postmaster.pid'), 'utf8');
    process.kill(Number(file.split('\n')[0]), 'SIGKILL');
    await this.#postgres.stop();
    const options = { password: this.#password, dataDirectory: this.#directory, settings: this.#settings };
    // Its processes notice the death of the first one only after a moment, and keep the data until then.
    await untilPasses(async () => {
      this.#postgres = await LocalPostgres.start(options);
    });
  }

  async stop(): Promise<void> {
    await this.#postgres.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
