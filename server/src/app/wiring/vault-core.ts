import { ApiKeyMaker } from '../../features/applications/index.ts';
import { TenantMaker } from '../../features/tenants/index.ts';
import { AuditLog } from '../../platform/audit/record/audit-log.ts';
import { ensureAuditPartitions } from '../../platform/audit/retention/audit-partitions-job.ts';
import { ensureSealingOrderGrows } from '../../platform/audit/seal/sealing-order.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import { Database } from '../../platform/database/database.ts';
import { ConnectionOrigins } from '../../platform/database/connections/connection-origin.ts';
import { requireFittingSchema } from '../../platform/database/migrations/migrator.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { openRootKeys } from '../../platform/keyring/kms/open-root-key.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { requireRootKeyOpensEverything } from '../../platform/keyring/keys/root-key-check.ts';
import { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import { noTracer, type Tracer } from '../../platform/telemetry/tracer.ts';
import { timeLimitsOf } from './database-time-limits.ts';
import { openWhole } from './open-whole.ts';

const auditTimeoutMs = 10 * 60_000;
const queueMax = 500;

/**
 * The parts that every role of the program needs: the database, the keys, the audit log. None of them listens on a
 * port.
 */
export class VaultCore {
  readonly database: Database;
  /** The database servers that this process has connected to, one for each address. */
  readonly origins: ConnectionOrigins;
  /** The name of this cell, if it has one. */
  readonly cell: string | undefined;
  readonly rootKeys: RootKeys;
  readonly systemKeys: SystemKeys;
  readonly keyring: Keyring;
  readonly audit: AuditLog;
  readonly apiKeyMaker: ApiKeyMaker;
  readonly tenantMaker: TenantMaker;
  readonly #opened: AsyncDisposableStack;

  /**
   * Opens and checks everything, in the order in which a misconfiguration does the least harm: schema first, then keys.
   */
  static async open(config: VaultConfig, tracer = noTracer): Promise<VaultCore> {
    await requireFittingSchema(config.database.url);
    return openWhole(async (opened) => {
      const rootKeys = opened.adopt(await openRootKeys(config.rootKeys), (keys) => keys.close());
      const origins = new ConnectionOrigins();
      const database = opened.adopt(openDatabase(config.database, { tracer, origins }), (pool) => pool.close());
      await database.requireConnection();
      await requireRootKeyOpensEverything(database, rootKeys);
      const systemKeys = await SystemKeys.load(database, rootKeys);
      await ensureAuditPartitions(database);
      await ensureSealingOrderGrows(database);
      return new VaultCore({ database, origins, cell: config.cell, rootKeys, systemKeys, opened });
    });
  }

  private constructor(parts: {
    database: Database;
    origins: ConnectionOrigins;
    cell: string | undefined;
    rootKeys: RootKeys;
    systemKeys: SystemKeys;
    opened: AsyncDisposableStack;
  }) {
    const { database, cell, rootKeys, systemKeys } = parts;
    this.#opened = parts.opened;
    this.database = database;
    this.origins = parts.origins;
    this.cell = cell;
    this.rootKeys = rootKeys;
    this.systemKeys = systemKeys;
    this.keyring = new Keyring(database, rootKeys);
    this.audit = new AuditLog(database);
    this.apiKeyMaker = new ApiKeyMaker(systemKeys, cell);
    this.tenantMaker = new TenantMaker({ database, keyring: this.keyring, apiKeyMaker: this.apiKeyMaker });
  }

  /** Safe to call more than once. */
  close(): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/**
 * Opens a pool for the audit log of all tenants. Sealing, verifying and exporting run one at a time and may take longer
 * than a request.
 */
export function openSealerDatabase(config: DatabaseConfig, parts: PoolParts = {}): Database {
  const limits = { ...timeLimitsOf(config), statementTimeoutMs: auditTimeoutMs };
  return openDatabase({ ...config, url: config.ownerUrl, connectionsMax: 2 }, parts, limits);
}

/** Opens a pool for taking jobs from the queue, not for running them. */
export function openJobDatabase(config: DatabaseConfig, parts: PoolParts = {}): Database {
  return openDatabase({ ...config, url: config.ownerUrl, connectionsMax: 3 }, parts);
}

/** The parts that a pool shares with the rest of the process, if any. */
interface PoolParts {
  readonly tracer?: Tracer;
  readonly origins?: ConnectionOrigins;
}

function openDatabase(
  config: DatabaseConfig,
  { tracer = noTracer, origins = new ConnectionOrigins() }: PoolParts,
  limits = timeLimitsOf(config),
): Database {
  return new Database({
    url: config.url,
    connectionsMax: config.connectionsMax,
    queueMax,
    ...limits,
    applicationName: 'strongroom',
    requiresStandby: config.requiresStandby,
    tracer,
    origin: origins.of(config.url),
  });
}
