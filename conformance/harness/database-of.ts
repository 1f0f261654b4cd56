import pg from 'pg';
import type { VaultAddress } from './vault-address.ts';

/** Runs statements in the database of a vault, for changes that would otherwise take time to happen. */
export function databaseOf({ settings }: Pick<VaultAddress, 'settings'>) {
  return async (text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: settings.STRONGROOM_DATABASE_URL });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
}
