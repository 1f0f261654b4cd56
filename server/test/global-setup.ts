import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/platform/database/migrations/migrator.ts';
import { LocalPostgres } from '../src/platform/local-postgres/local-postgres.ts';
import { LocalRedis } from './harness/local-redis.ts';
import { bundlePrograms } from './harness/program-bundle.ts';
import { templateDatabase } from './harness/test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    readonly postgresDataDirectory: string;
    readonly postgresBinaryDirectory: string;
    readonly redisUrl: string;
  }
}

/**
 * Starts PostgreSQL and Redis once for all test files. No service has to be started beforehand, and everything is
 * removed afterwards.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, redis, [program, measuredVault]] = await Promise.all([
    LocalPostgres.start({
      password: randomBytes(16).toString('hex'),
      // The data is discarded afterwards. Durability is tested by the fault runs, which do not use this server.
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '400',
        // Databases live for seconds. The tests that depend on statistics gather them themselves.
        autovacuum: 'off',
        shared_buffers: '256MB',
        // Tests search the write-ahead log for traces. Checkpoints caused by other tests must not recycle it in the
        // meantime.
        wal_keep_size: '1GB',
      },
    }),
    LocalRedis.start(),
    bundlePrograms('src/main.ts', 'test/harness/measured-vault-process.ts'),
  ]);
  Object.assign(process.env, { PROGRAM_MAIN: program, MEASURED_VAULT_MAIN: measuredVault });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`create database ${templateDatabase}`);
  await admin.end();
  await migrate(postgres.urlOf(templateDatabase));

  project.provide('postgresUrl', postgres.url);
  project.provide('postgresDataDirectory', postgres.dataDirectory);
  project.provide('postgresBinaryDirectory', postgres.binaryDirectory);
  project.provide('redisUrl', redis.url);
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}
