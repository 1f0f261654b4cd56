import pg from 'pg';
import { withoutApplicationName } from './connection-address.ts';
import { unreachable } from './outage.ts';
import { requireOwnSession } from './session-check.ts';

/** Runs `work` in one session as the database owner, for tasks that a pool of the vault's own role cannot do. */
export async function withOwnerSession<T>(
  url: string,
  options: { readonly applicationName: string; readonly variable: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: withoutApplicationName(url),
    connectionTimeoutMillis: 10_000,
    application_name: options.applicationName,
  });
  await client.connect().catch((error: unknown) => {
    throw unreachable(error, options.variable);
  });
  try {
    // Locks and roles belong to the session, which a pooler would share with other clients.
    await requireOwnSession(client);
    return await work(client);
  } finally {
    // Ending the session releases its locks even if the work has failed.
    await client.end();
  }
}
