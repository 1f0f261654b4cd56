import { parseTenantId, type TenantId } from '../core/identity/ids.ts';
import { TokenCheck, type TokenCheckReport } from '../features/tokens/index.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { Database } from '../platform/database/database.ts';
import { listTenantIds } from '../platform/database/database-inspection.ts';
import { restoreDump } from '../platform/database/dump-restore.ts';
import { readSchemaVersion } from '../platform/database/migrator.ts';
import { withScratchDatabase } from '../platform/database/scratch-database.ts';
import { Keyring } from '../platform/keyring/keyring.ts';
import { openRootKeys } from '../platform/keyring/kms/open-root-key.ts';
import { requireEveryKeyOpens } from './key-check.ts';
import { prepareDatabase } from './prepare-database.ts';

/** Counting a large tenant takes as long as reading it. */
const statementTimeoutMs = 6 * 60 * 60_000;

export interface BackupOrder {
  readonly dump: string;
  /** How many tokens of each key version of each tenant to open; all of them where it is undefined. */
  readonly sampleSize: number | undefined;
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  readonly onProgress: (opened: number) => void;
}

export interface BackupReport {
  readonly rootKey: string;
  /** Of the schema in the dump, and after it was brought to what this version needs. */
  readonly schema: { readonly dumped: number; readonly migrated: number };
  readonly keys: number;
  readonly tenants: readonly (TokenCheckReport & { readonly tenantId: TenantId })[];
}

/**
 * Restores a dump beside the vault and goes through it as a vault would: schema, then keys, then tokens. Throws where a step
 * fails that the next ones stand on; tokens that do not open are counted. The scratch database is gone afterwards.
 */
export async function checkBackup(config: VaultConfig, order: BackupOrder): Promise<BackupReport> {
  const rootKeys = await openRootKeys(config.rootKeys);
  try {
    return await withScratchDatabase(config.database.ownerUrl, async (url) => {
      order.onStep('Restoring the dump');
      await restoreDump(order.dump, url, order);
      const dumped = await readSchemaVersion(url);
      if (dumped === undefined) throw new Error('The dump is not one of a vault: it has no table schema_migrations.');
      order.onStep('Bringing the schema to this version');
      const { version } = await prepareDatabase(url);
      const database = openScratch(url);
      try {
        order.onStep('Opening every key');
        const keys = await requireEveryKeyOpens(database, rootKeys);
        order.onStep('Opening tokens');
        const tenants = await openTokens(database, new Keyring(database, rootKeys), order);
        return { rootKey: rootKeys.ids.join(' and '), schema: { dumped, migrated: version }, keys, tenants };
      } finally {
        await database.close();
      }
    });
  } finally {
    await rootKeys.close();
  }
}

async function openTokens(database: Database, keyring: Keyring, order: BackupOrder): Promise<BackupReport['tenants']> {
  const reports: (TokenCheckReport & { tenantId: TenantId })[] = [];
  let before = 0;
  for (const id of await listTenantIds(database)) {
    const tenantId = parseTenantId(id);
    const report = await new TokenCheck({ database, keyring, tenantId }).run({
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
