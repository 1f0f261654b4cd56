import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { balancedSettings, makeLoadKey } from './balanced-servers.ts';
import { Program } from './program.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** A cell: a server in a process of its own, with its own database, root key and tenant. */
export class CellServer {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
  /** The key of an application that stores and reads tokens. */
  readonly key: string;
  readonly #program: Program;
  readonly #database: TestDatabase;

  static async start(name: string): Promise<CellServer> {
    const database = await createTestDatabase();
    const [port, adminPort] = [await findFreePort(), await findFreePort()];
    const settings = {
      ...balancedSettings({ url: database.url, rootKey: generateRootKey() }),
      STRONGROOM_CELL: name,
      STRONGROOM_PORT: String(port),
      STRONGROOM_ADMIN_PORT: String(adminPort),
    };
    const { stdout } = await Program.run(['bootstrap', '--name', name, '--json'], settings);
    const { management } = (JSON.parse(stdout) as { keys: { management: string } }).keys;
    const program = Program.start(['serve', '--json'], settings);
    await program.ready();
    const key = await makeLoadKey(`http://127.0.0.1:${port}`, management);
    return new CellServer({ name, port, adminPort, key, program, database });
  }

  private constructor(parts: {
    name: string;
    port: number;
    adminPort: number;
    key: string;
    program: Program;
    database: TestDatabase;
  }) {
    this.name = parts.name;
    this.port = parts.port;
    this.adminPort = parts.adminPort;
    this.key = parts.key;
    this.#program = parts.program;
    this.#database = parts.database;
  }

  async kill(): Promise<void> {
    await this.#program.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.#database.drop();
  }
}
