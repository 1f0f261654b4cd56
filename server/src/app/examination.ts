import type { VaultConfig } from '../platform/config/config.ts';
import { Database } from '../platform/database/database.ts';
import { inspectDatabase } from '../platform/database/database-inspection.ts';
import { requireFittingSchema } from '../platform/database/migrator.ts';
import { openRootKeys } from '../platform/keyring/kms/open-root-key.ts';
import { requireEveryKeyOpens } from './key-check.ts';

export interface Finding {
  readonly name: string;
  readonly isOk: boolean;
  /** What was found, and for a failure what to do. */
  readonly detail: string;
}

/** Looks at everything a vault needs, from the ground up, and goes on after a failure as far as that makes sense. */
export async function examine(config: VaultConfig): Promise<Finding[]> {
  const inspection = await attempt('database', () => inspectDatabase(config.database.url));
  if (inspection.value === undefined) return [inspection.finding];
  const schema = await attempt('schema', async () => {
    await requireFittingSchema(config.database.url);
    return 'fits this version';
  });
  if (schema.value === undefined) return [...inspection.value, schema.finding];
  const keys = await attempt('root key', () => examineRootKey(config));
  return [
    ...inspection.value,
    { ...schema.finding, detail: schema.value },
    { ...keys.finding, detail: keys.value ?? keys.finding.detail },
  ];
}

/** Reads only: a vault that is opened to serve makes the keys that a new database does not have yet. */
async function examineRootKey(config: VaultConfig): Promise<string> {
  const rootKeys = await openRootKeys(config.rootKeys);
  const database = new Database({
    url: config.database.url,
    connectionsMax: 1,
    queueMax: 1,
    acquireTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
    applicationName: 'strongroom doctor',
  });
  try {
    await requireEveryKeyOpens(database, rootKeys);
    return `${rootKeys.ids.join(' and ')} opens every tenant key`;
  } finally {
    await Promise.all([database.close(), rootKeys.close()]);
  }
}

async function attempt<T>(name: string, work: () => Promise<T>): Promise<{ value: T | undefined; finding: Finding }> {
  try {
    return { value: await work(), finding: { name, isOk: true, detail: '' } };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { value: undefined, finding: { name, isOk: false, detail } };
  }
}
