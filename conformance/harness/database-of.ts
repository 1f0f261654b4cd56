import pg from 'pg';
import type { VaultAddress } from './vault-address.ts';

/** Runs statements in all databases of a vault, one after the other: for what only time would do otherwise. */
export function databaseOf({ settings }: Pick<VaultAddress, 'settings'>) {
  const nodes = (settings['STRONGROOM_NODES'] ?? '').split(' ').filter(Boolean);
  const urls = [settings.STRONGROOM_DATABASE_URL, ...nodes.map((node) => node.slice(node.indexOf('=') + 1))];
  return async (text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> => {
    const rows: Record<string, unknown>[] = [];
    for (const url of urls) rows.push(...(await runAt(url, text, values)));
    return rows;
  };
}

async function runAt(url: string, text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
