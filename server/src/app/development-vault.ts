import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../core/errors/thrown.ts';
import { permissionsOf } from '../core/access/permission.ts';
import { parseTenantId } from '../core/identity/ids.ts';
import { SignInLinks } from '../features/portal/index.ts';
import type { FirstApplication } from '../features/tenants/index.ts';
import { defaultThresholds } from '../platform/audit/alert-rule.ts';
import type { DatabaseConfig, LimitsConfig, ServerConfig, WorkerConfig } from '../platform/config/config.ts';
import { generateRootKey, parseRootKey } from '../platform/keyring/kms/file-root-key.ts';
import type { RootKeysConfig } from '../platform/keyring/kms/open-root-key.ts';
import { findFreePort } from '../platform/local-postgres/free-port.ts';
import { LocalPostgres } from '../platform/local-postgres/local-postgres.ts';
import type { SmtpConfig } from '../platform/mail/smtp-config.ts';
import type { OutboundConfig } from '../platform/outbound/outbound-config.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { migrate } from '../platform/database/migrator.ts';
import { openWhole } from './open-whole.ts';
import type { VaultCore } from './vault-core.ts';
import { VaultServer } from './vault-server.ts';
import { VaultWorker } from './vault-worker.ts';

export interface DevelopmentKeys {
  readonly private: string;
  readonly reveal: string;
  readonly public: string;
  readonly management: string;
}

/** What a data directory keeps between runs. It contains secrets, so it is for development only. */
interface Remembered {
  readonly databasePassword: string;
  readonly rootKey: string;
  readonly tenant?: { readonly id: string; readonly keys: DevelopmentKeys };
}

export interface DevelopmentOptions {
  readonly port: number;
  readonly dataDirectory: string | undefined;
  readonly database: DatabaseConfig | undefined;
  readonly rootKeys: RootKeysConfig | undefined;
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  readonly smtp: SmtpConfig | undefined;
  readonly report: (step: string) => void;
}

/** A complete vault for development: database, tenant, applications, server and worker in one process tree. */
export class DevelopmentVault {
  readonly url: string;
  readonly adminUrl: string;
  readonly tenantId: string;
  readonly keys: DevelopmentKeys;
  /** Signs the owner in, once. */
  readonly signInUrl: string;
  /** The environment that other commands need to work on this vault. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #opened: AsyncDisposableStack;
  #stopped: Promise<void> | undefined;

  static start(options: DevelopmentOptions, logger: Logger): Promise<DevelopmentVault> {
    return openWhole((opened) => DevelopmentVault.#open(options, logger, opened));
  }

  static async #open(
    options: DevelopmentOptions,
    logger: Logger,
    opened: AsyncDisposableStack,
  ): Promise<DevelopmentVault> {
    const memory = await Memory.open(options.dataDirectory);
    const database = options.database ?? (await startPostgres(options, memory.remembered, opened));
    options.report('Preparing the schema');
    await migrate(database.ownerUrl);

    const port = options.port === 0 ? await findFreePort() : options.port;
    const config = toServerConfig({ ...options, port }, memory.remembered, database);
    const server = opened.adopt(await VaultServer.start(config, logger), (it) => it.stop());
    opened.adopt(await VaultWorker.start(toWorkerConfig(config, options.smtp), logger), (it) => it.stop());

    const tenant = memory.remembered.tenant ?? (await makeTenant(server.core));
    await memory.remember({ ...memory.remembered, tenant });
    const url = config.listen.publicUrl;
    const signInUrl = `${url}${await new SignInLinks(server.core).make(parseTenantId(tenant.id), undefined)}`;
    const settings = {
      STRONGROOM_DATABASE_URL: database.ownerUrl,
      STRONGROOM_PUBLIC_URL: url,
      // The caller already knows a root key from the environment.
      ...(options.rootKeys === undefined ? { STRONGROOM_ROOT_KEY: memory.remembered.rootKey } : {}),
    };
    return new DevelopmentVault({ url, adminUrl: server.adminUrl, tenant, signInUrl, settings, opened });
  }

  private constructor(parts: {
    url: string;
    adminUrl: string;
    tenant: NonNullable<Remembered['tenant']>;
    signInUrl: string;
    settings: Readonly<Record<string, string>>;
    opened: AsyncDisposableStack;
  }) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
    this.tenantId = parts.tenant.id;
    this.keys = parts.tenant.keys;
    this.signInUrl = parts.signInUrl;
    this.settings = parts.settings;
    this.#opened = parts.opened;
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync();
    return this.#stopped;
  }
}

/** The secrets of a data directory; without one, they last as long as the process. */
class Memory {
  readonly remembered: Remembered;
  readonly #file: string | undefined;

  static async open(directory: string | undefined): Promise<Memory> {
    const fresh: Remembered = { databasePassword: crypto.randomUUID(), rootKey: generateRootKey() };
    if (directory === undefined) return new Memory(fresh, undefined);

    await mkdir(directory, { recursive: true });
    const file = path.join(directory, 'strongroom-dev.json');
    const kept = await readRemembered(file);
    const memory = new Memory(kept ?? fresh, file);
    // Stored before anything is encrypted with it.
    if (kept === undefined) await memory.remember(fresh);
    return memory;
  }

  private constructor(remembered: Remembered, file: string | undefined) {
    this.remembered = remembered;
    this.#file = file;
  }

  async remember(remembered: Remembered): Promise<void> {
    if (this.#file === undefined) return;
    // Replaced atomically: a partial write would lose the only copy of the root key.
    await writeFile(`${this.#file}.new`, `${JSON.stringify(remembered, null, 2)}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}

/** Undefined if there is no file yet; an unreadable file is never treated as missing. */
async function readRemembered(file: string): Promise<Remembered | undefined> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by an earlier run.
    return JSON.parse(await readFile(file, 'utf8')) as Remembered;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read. Restore it, or remove the directory to start anew.`, { cause: error });
  }
}

async function startPostgres(
  options: DevelopmentOptions,
  remembered: Remembered,
  opened: AsyncDisposableStack,
): Promise<DatabaseConfig> {
  options.report('Starting PostgreSQL');
  const { dataDirectory } = options;
  const postgres = opened.adopt(
    await LocalPostgres.start({
      password: remembered.databasePassword,
      ...(dataDirectory === undefined ? {} : { dataDirectory }),
    }),
    (it) => it.stop(),
  );
  return { url: postgres.url, ownerUrl: postgres.url, connectionsMax: 8 };
}

function toServerConfig(options: DevelopmentOptions, remembered: Remembered, database: DatabaseConfig): ServerConfig {
  const key = parseRootKey(remembered.rootKey);
  if (key === undefined)
    throw new Error(
      'strongroom-dev.json in the data directory does not contain a valid root key. Remove the directory to start over.',
    );
  return {
    database,
    rootKeys: options.rootKeys ?? { primary: { kind: 'file', key }, others: [] },
    listen: {
      publicUrl: `http://localhost:${options.port}`,
      host: '127.0.0.1',
      port: options.port,
      adminHost: '127.0.0.1',
      adminPort: 0,
    },
    limits: options.limits,
    outbound: options.outbound,
    logLevel: 'warn',
  };
}

function toWorkerConfig(config: ServerConfig, smtp: SmtpConfig | undefined): WorkerConfig {
  return {
    ...config,
    audit: { retentionMonths: 13, anchorFile: undefined, anchorUrl: undefined, alerts: defaultThresholds },
    admin: { host: '127.0.0.1', port: 0 },
    mail: { publicUrl: config.listen.publicUrl, smtp },
  };
}

async function makeTenant(core: VaultCore): Promise<{ id: string; keys: DevelopmentKeys }> {
  const tokenPermissions = permissionsOf('private');
  const applications: FirstApplication[] = [
    { name: 'Private', type: 'private', permissions: tokenPermissions, rules: [] },
    {
      name: 'Private, reveals',
      type: 'private',
      permissions: [],
      rules: [
        {
          description: 'See everything',
          priority: 1,
          container: '/',
          transform: 'reveal',
          permissions: tokenPermissions,
        },
      ],
    },
    { name: 'Public', type: 'public', permissions: ['token:create'], rules: [] },
    { name: 'Management', type: 'management', permissions: permissionsOf('management'), rules: [] },
  ];
  const made = await core.tenantMaker.make({ name: 'Development', type: 'test', ownerEmail: null, applications });
  const [privateKey = '', reveal = '', publicKey = '', management = ''] = made.keys;
  return { id: made.tenantId, keys: { private: privateKey, reveal, public: publicKey, management } };
}
