import type { VaultConfig } from '../../platform/config/config.ts';
import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import { Database } from '../../platform/database/database.ts';
import { inspectDatabase, readDisk } from '../../platform/database/ground/database-inspection.ts';
import { checkDiskSpace } from '../../platform/database/ground/disk-space.ts';
import type { GroundFinding } from '../../platform/database/ground/ground-finding.ts';
import { judgeGround } from '../../platform/database/ground/ground-checks.ts';
import { readGround } from '../../platform/database/ground/ground-reading.ts';
import { requireFittingSchema } from '../../platform/database/migrations/migrator.ts';
import { OwnRootKeys } from '../../platform/keyring/kms/own-root-keys.ts';
import { openRootKeys } from '../../platform/keyring/kms/open-root-key.ts';
import { timeLimitsOf } from '../wiring/database-time-limits.ts';
import { describeUnapproving, findUnapproving } from './approval-advice.ts';
import { describeExposures, findFingerprintExposures } from './fingerprint-exposure.ts';
import { describeDeadLetters, findDeadLetters } from './dead-letters.ts';
import { describeDeletedTenants, findDeletedTenants } from './deleted-tenants.ts';
import { requireEveryKeyOpens } from './key-check.ts';
import { checkTransport } from './transport-check.ts';
import { checkOwnRootKeys, describeOwnRootKeys, type OwnKeyReport } from './own-root-key-check.ts';

export interface Finding {
  readonly name: string;
  readonly isOk: boolean;
  /** True if nothing is broken, but the operator has a decision to make. */
  readonly isWarning?: boolean;
  /** The finding and, for a failure, what to do. */
  readonly detail: string;
  /** True if this login or machine cannot determine the result. */
  readonly isUnknown?: boolean;
  /** The guarantee that no longer holds, if there is a problem with the environment that the vault depends on. */
  readonly promise?: string;
  readonly remedy?: string;
}

/** Checks everything a vault needs, from the bottom up. After a failure, it continues as far as that makes sense. */
export async function examine(config: VaultConfig): Promise<Finding[]> {
  const inspection = await attempt('database', () => inspectDatabase(config.database.url));
  if (inspection.value === undefined) return [inspection.finding];
  const found: Finding[] = [...inspection.value];
  // Without the role, the connections of the vault cannot be tested. The finding about the role says what to do.
  if (found.every(({ name, isOk }) => name !== 'application role' || isOk)) {
    const connection = await attempt('connection', () => examineConnections(config));
    if (connection.value === undefined) return [...found, connection.finding];
    found.push({ ...connection.finding, detail: connection.value });
    const transport = await attempt('database TLS', () => checkTransport(config.database));
    found.push(transport.value === undefined ? transport.finding : toFinding(transport.value));
  }
  const schema = await attempt('schema', async () => {
    await requireFittingSchema(config.database.url);
    return 'matches this version';
  });
  if (schema.value === undefined) return [...found, schema.finding];
  const ground = await attempt('ground', () => examineGround(config));
  const keys = await attempt('root key', () => examineRootKey(config));
  const own = await attempt('tenant root keys', () => examineOwnRootKeys(config));
  const exposures = await attempt('fingerprints', () => withDatabase(config, findFingerprintExposures));
  const deleted = await attempt('deleted tenants', () => withDatabase(config, findDeletedTenants));
  const unapproving = await attempt('approvals', () => withDatabase(config, findUnapproving));
  const dead = await attempt('jobs', () => withDatabase(asOwner(config), findDeadLetters));
  return [
    ...found,
    { ...schema.finding, detail: schema.value },
    ...(ground.value ?? [ground.finding]),
    { ...keys.finding, detail: keys.value ?? keys.finding.detail },
    ...(own.value === undefined ? [own.finding] : describeOwnRootKeys(own.value, own.finding.name)),
    exposures.value === undefined
      ? exposures.finding
      : { ...exposures.finding, isWarning: exposures.value.length > 0, detail: describeExposures(exposures.value) },
    ...(deleted.value === undefined
      ? [deleted.finding]
      : describeDeletedTenants(deleted.value).map((described) => ({ ...deleted.finding, ...described }))),
    unapproving.value === undefined
      ? unapproving.finding
      : {
          ...unapproving.finding,
          isWarning: unapproving.value.length > 0,
          detail: describeUnapproving(unapproving.value),
        },
    dead.value === undefined
      ? toQueueFinding(dead.finding)
      : { ...dead.finding, isWarning: dead.value.length > 0, detail: describeDeadLetters(dead.value) },
  ];
}

/** Connects like the server and the worker do. */
async function examineConnections({ database: config }: VaultConfig): Promise<string> {
  for (const url of new Set([config.url, config.ownerUrl])) {
    const database = openForExamination({ ...config, url });
    try {
      await database.requireConnection();
    } finally {
      await database.close();
    }
  }
  return 'connects to a primary, with the role and timeouts of the vault';
}

/** Checks the environment outside the vault that its guarantees depend on. */
async function examineGround(config: VaultConfig): Promise<Finding[]> {
  const { connectionsMax, requiresStandby, ownerUrl } = config.database;
  const reading = await withDatabase(config, readGround);
  const disk = await readDisk(ownerUrl);
  const found = [...judgeGround(reading, { connectionsMax, requiresStandby }), await checkDiskSpace(disk)];
  return found.map(toFinding);
}

function toFinding({ verdict, ...finding }: GroundFinding): Finding {
  return {
    ...finding,
    isOk: verdict !== 'fail',
    ...(verdict === 'warn' ? { isWarning: true } : {}),
    ...(verdict === 'unknown' ? { isUnknown: true } : {}),
  };
}

/**
 * Checks the root key without writing anything. Opening the vault as a server does would create the keys that a new
 * database lacks.
 */
async function examineRootKey(config: VaultConfig): Promise<string> {
  const rootKeys = await openRootKeys(config.rootKeys);
  try {
    await withDatabase(config, (database) => requireEveryKeyOpens(database, rootKeys));
    return `${rootKeys.ids.join(' and ')} unwraps every tenant key`;
  } finally {
    await rootKeys.close();
  }
}

async function examineOwnRootKeys(config: VaultConfig): Promise<OwnKeyReport> {
  const own = new OwnRootKeys(config.rootKeys.own);
  try {
    return await withDatabase(config, (database) => checkOwnRootKeys(database, own));
  } finally {
    await own.close();
  }
}

/** Returns a failure to look into the queue as unknown if the login has no right to, like that of a server alone. */
function toQueueFinding(finding: Finding): Finding {
  if (!finding.detail.includes('SQLSTATE 42501')) return finding;
  const remedy = 'run doctor where STRONGROOM_DATABASE_OWNER_URL is set';
  return { name: finding.name, isOk: true, isUnknown: true, detail: 'this login cannot look into the queue', remedy };
}

/** Returns the configuration with the login of a worker, which may look into the queue. */
function asOwner(config: VaultConfig): VaultConfig {
  return { ...config, database: { ...config.database, url: config.database.ownerUrl } };
}

async function withDatabase<T>(config: VaultConfig, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openForExamination(config.database);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function openForExamination(config: DatabaseConfig): Database {
  return new Database({
    url: config.url,
    connectionsMax: 1,
    queueMax: 1,
    ...timeLimitsOf(config),
    applicationName: 'strongroom doctor',
    requiresStandby: config.requiresStandby,
  });
}

async function attempt<T>(name: string, work: () => Promise<T>): Promise<{ value: T | undefined; finding: Finding }> {
  try {
    return { value: await work(), finding: { name, isOk: true, detail: '' } };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { value: undefined, finding: { name, isOk: false, detail } };
  }
}
