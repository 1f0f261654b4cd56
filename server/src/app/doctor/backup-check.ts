import type { TenantId } from '../../core/identity/ids.ts';
import { TokenOpeningCheck, type TokenOpeningReport } from '../../features/tokens/index.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { Database } from '../../platform/database/database.ts';
import { listTenantIds } from '../../platform/database/ground/database-inspection.ts';
import { findDumpFile } from '../../platform/database/dump/dump-file.ts';
import { DumpReader } from '../../platform/database/dump/dump-reader.ts';
import { type ScratchDatabase, withScratchDatabase } from '../../platform/database/dump/scratch-database.ts';
import { ScratchSchema } from '../../platform/database/dump/scratch-schema.ts';
import { findMigrations, migrate } from '../../platform/database/migrations/migrator.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { openRootKeys } from '../../platform/keyring/kms/open-root-key.ts';
import { requireEveryKeyOpens } from './key-check.ts';
import { checkOwnRootKeys, type OwnKeyFailure } from './own-root-key-check.ts';

/** The timeout is long because counting a large tenant takes as long as reading it. */
const statementTimeoutMs = 6 * 60 * 60_000;
/** The default limit on the unpacked size of a dump. It allows for the good but limited compression of text. */
const unpackedBaseBytes = 1024 ** 3;
const unpackedFactor = 50;

export interface BackupOrder {
  readonly dump: string;
  /** The number of tokens to decrypt per tenant and key version; all of them if undefined. */
  readonly sampleSize: number | undefined;
  readonly unpackedBytesMax: number | undefined;
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  readonly onProgress: (opened: number) => void;
  /** Called with the restored database before its tokens are opened. Throws if the backup is not the expected one. */
  readonly inspect?: (database: Database) => Promise<void>;
}

export interface BackupReport {
  readonly rootKey: string;
  /** The schema version in the dump, and after migrating it to this version. */
  readonly schema: { readonly dumped: number; readonly migrated: number };
  readonly keys: number;
  readonly tenants: readonly (TokenOpeningReport & { readonly tenantId: TenantId })[];
  /** The own root keys that cannot be used. The tokens of their tenants were not opened. */
  readonly unchecked: readonly OwnKeyFailure[];
}

/**
 * Restores a dump to a scratch database and checks it in the same order as a vault: schema, then keys, then tokens.
 * Throws if a step fails that later steps depend on. Tokens that cannot be decrypted are counted. The scratch database
 * is dropped afterwards.
 *
 * The dump may be hostile. Another process reads it, without keys and with a role that can only add rows. Our own
 * migrations create everything else in the scratch database. The root key is opened only after that process has ended.
 */
export async function checkBackup(config: VaultConfig, order: BackupOrder): Promise<BackupReport> {
  const dump = await findDumpFile(order.dump);
  const reader = new DumpReader(dump, {
    searchPath: order.searchPath,
    bytesMax: order.unpackedBytesMax ?? unpackedBaseBytes + unpackedFactor * dump.sizeBytes,
    signal: order.signal,
  });
  return withScratchDatabase(config.database.ownerUrl, async (scratch) => {
    order.onStep('Restoring the dump');
    const dumped = await restore(reader, scratch);
    order.onStep('Migrating the schema to this version');
    const { version } = await migrate(scratch.ownerUrl);
    return { ...(await openEverything(scratch.ownerUrl, config, order)), schema: { dumped, migrated: version } };
  });
}

/** Returns the schema version of the dump. */
async function restore(reader: DumpReader, scratch: ScratchDatabase): Promise<number> {
  const { migrations, months } = await reader.contents();
  if (migrations === undefined || migrations.length === 0) {
    throw new Error(
      'This is not a dump of a vault: it has no rows in schema_migrations. Dumps made with --inserts, with --schema-only or of some tables only cannot be checked.',
    );
  }
  await migrate(scratch.ownerUrl, await findMigrations(migrations));
  const schema = await ScratchSchema.open(scratch);
  try {
    const tables = await schema.openForRows(months);
    await schema.closeForRows(await reader.load({ url: scratch.loaderUrl, role: scratch.loaderRole, tables }));
  } finally {
    await schema.close();
  }
  return migrations.length;
}

async function openEverything(url: string, config: VaultConfig, order: BackupOrder) {
  const rootKeys = await openRootKeys(config.rootKeys);
  const database = openScratch(url);
  try {
    await order.inspect?.(database);
    order.onStep('Unwrapping every key');
    const keys = await requireEveryKeyOpens(database, rootKeys);
    const { opened, working, failures } = await checkOwnRootKeys(database, rootKeys.own);
    order.onStep('Opening tokens');
    const skipped = new Set(failures.flatMap((failure) => [...failure.tenants]));
    const tenantIds = (await listTenantIds(database)).filter((id) => !skipped.has(id));
    const tenants = await openTokens({ database, keyring: new Keyring(database, rootKeys), tenantIds }, order);
    const rootKey = [...rootKeys.ids, ...working].join(' and ');
    return { rootKey, keys: keys + opened, tenants, unchecked: failures };
  } finally {
    await Promise.all([database.close(), rootKeys.close()]);
  }
}

async function openTokens(
  parts: { readonly database: Database; readonly keyring: Keyring; readonly tenantIds: readonly TenantId[] },
  order: BackupOrder,
): Promise<BackupReport['tenants']> {
  const { database, keyring, tenantIds } = parts;
  const reports: (TokenOpeningReport & { tenantId: TenantId })[] = [];
  let before = 0;
  for (const tenantId of tenantIds) {
    const report = await new TokenOpeningCheck({ database, keyring, tenantId }).run({
      sampleSize: order.sampleSize,
      signal: order.signal,
      onProgress: (opened) => order.onProgress(before + opened),
    });
    before += report.opened + report.unopened;
    reports.push({ tenantId, ...report });
  }
  return reports;
}

function openScratch(url: string): Database {
  return new Database({
    url,
    connectionsMax: 2,
    queueMax: 10,
    acquireTimeoutMs: 10_000,
    statementTimeoutMs,
    applicationName: 'strongroom backup',
  });
}
