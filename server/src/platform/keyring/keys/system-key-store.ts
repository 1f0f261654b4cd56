import type { Database } from '../../database/database.ts';

export const systemKeyPurposes = ['credential', 'exchange', 'audit', 'user'] as const;
export type SystemKeyPurpose = (typeof systemKeyPurposes)[number];

export interface WrappedSystemKey {
  readonly purpose: SystemKeyPurpose;
  readonly rootKey: string;
  readonly wrapped: Buffer;
}

export function listSystemKeys(database: Database): Promise<WrappedSystemKey[]> {
  return database.forSystem((tx) =>
    tx.query<WrappedSystemKey>({
      text: `select purpose, root_key as "rootKey", wrapped from system_keys where version = 1 order by purpose`,
    }),
  );
}

/** Stores keys. An existing key is not changed. */
export async function insertSystemKeys(database: Database, keys: readonly WrappedSystemKey[]): Promise<void> {
  await database.forSystem(async (tx) => {
    for (const key of keys) {
      await tx.query({
        text: `insert into system_keys (purpose, version, root_key, wrapped) values ($1, 1, $2, $3) on conflict do nothing`,
        values: [key.purpose, key.rootKey, key.wrapped],
      });
    }
  });
}

/** Replaces a wrapped key. Returns false if another process has done so in the meantime. */
export async function updateSystemKey(
  database: Database,
  old: WrappedSystemKey,
  fresh: WrappedSystemKey,
): Promise<boolean> {
  const rows = await database.forSystem((tx) =>
    tx.query({
      text: `update system_keys set root_key = $3, wrapped = $4, wrapped_at = now()
        where purpose = $1 and version = 1 and wrapped = $2 returning 1`,
      values: [old.purpose, old.wrapped, fresh.rootKey, fresh.wrapped],
    }),
  );
  return rows.length > 0;
}
