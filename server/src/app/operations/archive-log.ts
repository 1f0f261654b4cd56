import { archiveMonths, type MonthReport } from '../../platform/audit/archive/archive-months.ts';
import type { LogConfig } from '../../platform/config/config.ts';
import { openObjectStore } from '../../platform/object-storage/open-object-store.ts';
import { OperatorError } from '../../core/errors/operator-error.ts';
import { withLog } from './open-log.ts';

interface Archiving {
  /** False to leave the months in the database as well. */
  readonly drops: boolean;
  readonly onProgress: (records: number) => void;
}

/** Archives every month of the audit log that is past its retention. */
export async function archiveLog(config: LogConfig, { drops, onProgress }: Archiving): Promise<MonthReport[]> {
  const { archive, retentionMonths } = config.audit;
  if (archive === undefined)
    throw new OperatorError('There is no archive. Set STRONGROOM_AUDIT_ARCHIVE to a folder or an s3:// address.');
  const store = openObjectStore(archive);
  try {
    return await withLog(config, ({ core, database }) =>
      archiveMonths(
        { store, database, signer: core.systemKeys.auditSigner(), onProgress },
        { monthsKept: retentionMonths, drops },
      ),
    );
  } finally {
    store.close();
  }
}
