import pg from 'pg';
import { ports } from './ports.ts';

/** As the recipe has it. */
export const superuserPassword = 'superuser-password';

/** A session with all rights on one PostgreSQL server. Whoever asks for it ends it. */
export async function openSession(host: string, database: string): Promise<pg.Client> {
  const client = new pg.Client({
    host,
    port: ports.database,
    user: 'postgres',
    password: superuserPassword,
    database,
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  });
  await client.connect();
  return client;
}

/** Runs one statement in a session that it ends. */
export async function runIn<Row extends pg.QueryResultRow>(session: Promise<pg.Client>, text: string): Promise<Row[]> {
  const client = await session;
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
