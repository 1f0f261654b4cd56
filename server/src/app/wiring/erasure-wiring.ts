import { eraseTokensJobs } from '../../features/retention/index.ts';
import { LogReader } from '../../platform/audit/verify/log-reader.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { findErasureRights } from './approval-wiring.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds the jobs that erase tokens and write the receipts. */
export function createErasureJobs(
  { database, keyring, systemKeys }: VaultCore,
  { sealerDatabase, backupDays }: { readonly sealerDatabase: Database; readonly backupDays: number | undefined },
): Job[] {
  return eraseTokensJobs({
    database,
    keyring,
    findRights: findErasureRights,
    reader: new LogReader(sealerDatabase),
    signer: systemKeys.auditSigner(),
    backupDays,
  });
}
