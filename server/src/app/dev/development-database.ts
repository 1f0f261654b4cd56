import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import { findDatabaseName } from '../../platform/database/ground/database-inspection.ts';
import { LocalPostgres } from '../../platform/local-postgres/local-postgres.ts';
import type { DevelopmentMemory } from './development-memory.ts';
import type { DevelopmentOptions } from './development-options.ts';

/** Starts a local PostgreSQL, or uses the database that the user has named. It touches no other database. */
export async function openDevelopmentDatabase(
  options: DevelopmentOptions,
  memory: DevelopmentMemory,
  opened: AsyncDisposableStack,
): Promise<DatabaseConfig> {
  const { database, databaseName, dataDirectory } = options;
  if (database !== undefined) {
    for (const url of new Set([database.ownerUrl, database.url])) await requireName(url, databaseName);
    return database;
  }
  options.report('Starting PostgreSQL');
  const postgres = opened.adopt(
    await LocalPostgres.start({
      password: memory.databasePassword,
      ...(dataDirectory === undefined ? {} : { dataDirectory }),
    }),
    (it) => it.stop(),
  );
  return { url: postgres.url, ownerUrl: postgres.url, connectionsMax: 8, timeoutSeconds: 10, requiresStandby: false };
}

async function requireName(url: string, wanted: string | undefined): Promise<void> {
  const name = await findDatabaseName(url);
  if (name === wanted) return;
  throw new Error(
    `The database is named "${name}", and --use-database names another one. Nothing was changed. Check STRONGROOM_DATABASE_URL, or pass --use-database ${name}.`,
  );
}
