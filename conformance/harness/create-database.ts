import pg from 'pg';
import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

/** Creates an empty database for a vault and returns its URL. */
export async function createDatabase(postgres: LocalPostgres, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return postgres.urlOf(name);
}
