import { type MigrationReport, migrate } from '../platform/database/migrator.ts';
import { migrateJobQueue } from '../platform/jobs/job-runner.ts';

/** Migrates a database to this version: our schema, and that of the job queue. */
export async function prepareDatabase(ownerUrl: string): Promise<MigrationReport> {
  const report = await migrate(ownerUrl);
  await migrateJobQueue(ownerUrl);
  return report;
}
