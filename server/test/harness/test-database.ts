import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { patienceMs } from './deadline.ts';
import { Database, type DatabaseOptions } from '../../src/platform/database/database.ts';

export const templateDatabase = 'strongroom_template';

/** A migrated database that no other test file sees. `owner` has all rights and is never used by the product. */
export interface TestDatabase {
  readonly url: string;
  readonly owner: pg.Pool;
  /** Opens the database as the server does. The connection is closed when the test database is removed. */
  open(options?: Partial<DatabaseOptions>): Database;
  drop(): Promise<void>;
}

/**
 * Creates a database from a template. A template other than the migrated one, such as PostgreSQL's
 * `template1`, has no vault schema.
 */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files takes a fifth of the CPU time of writing every page to the write-ahead log.
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  const address = new URL(inject('postgresUrl'));
  address.pathname = `/${name}`;
  return openTestDatabase(address.href, () => asAdmin(`drop database ${name} with (force)`));
}

export function openTestDatabase(url: string, discard: () => Promise<void> = async () => undefined): TestDatabase {
  const owner = new pg.Pool({ connectionString: url, max: 4 });
  // Dropping the database may break a connection that is still closing.
  owner.on('error', () => undefined);
  const opened: Database[] = [];

  return {
    url,
    owner,
    open(options = {}) {
      const database = new Database({ ...databaseDefaults(url), ...options });
      opened.push(database);
      return database;
    },
    async drop() {
      await Promise.all([...opened.map((database) => database.close()), owner.end()]);
      await discard();
    },
  };
}

function databaseDefaults(url: string): DatabaseOptions {
  return {
    url,
    connectionsMax: 4,
    queueMax: 1_000,
    // No test reaches these limits by accident, no matter how slow the machine is.
    acquireTimeoutMs: patienceMs,
    statementTimeoutMs: patienceMs,
    applicationName: 'strongroom test',
  };
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
