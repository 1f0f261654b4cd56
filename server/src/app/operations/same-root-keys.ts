import { listServerMarks } from '../../platform/database/ground/database-inspection.ts';
import { markOf } from '../../platform/keyring/kms/root-key-marks.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';

/** Throws if a running server has another root key, or another list of own root keys, than this process. */
export async function requireServersWithSameKeys(databaseUrl: string, rootKeys: RootKeys): Promise<void> {
  const mark = markOf(rootKeys);
  const marks = await listServerMarks(databaseUrl);
  const others = marks.filter((one) => one !== mark);
  if (others.length === 0) return;
  throw new Error(
    `${others.length} of ${marks.length} running servers have another root key, or other names in ` +
      'STRONGROOM_TENANT_ROOT_KEYS. Nothing was changed. Give all of them the settings of this command first.',
  );
}
