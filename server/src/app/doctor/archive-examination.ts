import { OperatorError } from '../../core/errors/operator-error.ts';
import type { LogConfig } from '../../platform/config/config.ts';
import { RetentionStore } from '../../platform/audit/retention/retention-store.ts';
import { openObjectStore } from '../../platform/object-storage/open-object-store.ts';
import { openSealerDatabase } from '../wiring/vault-core.ts';
import type { Finding } from './examination.ts';

const name = 'audit archive';

/** Reports months that are past their retention and wait for the archive. Nothing is reported without an archive. */
export async function examineArchive({ database: config, audit }: LogConfig): Promise<Finding[]> {
  if (audit.archive === undefined) return [];
  const database = openSealerDatabase(config);
  const store = openObjectStore(audit.archive);
  try {
    const months = await database.forSealer((tx) => new RetentionStore(tx).listDroppable(audit.retentionMonths));
    // An archive that cannot be read is reported now, and not first in the month in which somebody needs it.
    await store.listFolders(1);
    const [oldest] = months;
    if (oldest === undefined)
      return [{ name, isOk: true, detail: `${store.name} has every month that it should have` }];
    const detail = `months that wait in the database to be archived: ${months.length}, from ${oldest.slice(0, 7)} on`;
    return [{ name, isOk: true, isWarning: true, detail, remedy: 'run `strongroom audit archive` each month' }];
  } catch (error) {
    const detail = error instanceof OperatorError ? error.message : 'this login cannot look into the log';
    return [{ name, isOk: true, isUnknown: true, detail }];
  } finally {
    store.close();
    await database.close();
  }
}
