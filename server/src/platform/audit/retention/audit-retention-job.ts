import type { Database } from '../../database/database.ts';
import type { Job } from '../../jobs/job.ts';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { isGenuine } from '../seal/checkpoint.ts';
import { type MonthRemoval, toRemovedMonth } from './month-removal.ts';
import { removeMonth } from './remove-month.ts';
import { RetentionStore } from './retention-store.ts';
import { damagedMonth } from '../seal/seal-store.ts';

/** The number of months of log to keep, and the key that signs the removal of older months. */
export interface Retention {
  readonly monthsKept: number;
  readonly signer: AuditSigner;
  /** Lists the removals of a month that is archived. If there is an archive, nothing is dropped that it does not have. */
  readonly findArchived?: (month: string) => Promise<readonly MonthRemoval[] | undefined>;
  readonly now?: () => Date;
}

/** An archived month is read before it is dropped, which takes minutes if it is large. */
const limitMs = 60 * 60_000;

/** Drops the months that are past their retention. Each tenant's log records what was dropped and when. */
export function auditRetentionJob(database: Database, retention: Retention): Job {
  return {
    name: 'audit-retention',
    schedule: { everyMinutes: 60, atMinute: 43 },
    limitMs,
    run: (_payload, signal) => dropOldMonths(database, retention, signal),
  };
}

export async function dropOldMonths(database: Database, retention: Retention, signal?: AbortSignal): Promise<void> {
  const { monthsKept, signer, findArchived, now = () => new Date() } = retention;
  const droppable = await database.forSealer((tx) => new RetentionStore(tx).listDroppable(monthsKept));
  // The database's clock is not trusted here, because the vault signs the removal and must not sign a false statement.
  for (const month of droppable.filter((each) => isPast(each, monthsKept, now()))) {
    const listed = await listRemovals(database, month, signer);
    const removals = findArchived === undefined ? listed : await findArchived(month);
    // Months are dropped oldest first, so the later ones wait too.
    if (removals === undefined) return;
    await removeMonth(database, month, { signer, removals, signal });
  }
}

/** Returns true if a month is past its retention by the clock of this process. */
export function isPast(month: string, monthsKept: number, now: Date): boolean {
  const keptFrom = new Date(now);
  keptFrom.setUTCDate(1);
  keptFrom.setUTCMonth(keptFrom.getUTCMonth() - monthsKept);
  return month.slice(0, 7) < keptFrom.toISOString().slice(0, 7);
}

/**
 * Lists the removals of a month from each tenant's log. Throws if one of the checkpoints is not what the vault signed.
 */
async function listRemovals(
  database: Database,
  month: string,
  { publicKey }: AuditSigner,
): Promise<readonly MonthRemoval[]> {
  const newest = await database.forSealer((tx) => new RetentionStore(tx).listNewestIn(month));
  const damaged = newest.find((checkpoint) => !isGenuine(checkpoint, publicKey));
  if (damaged !== undefined) throw damagedMonth(damaged.tenantId, toRemovedMonth(month));
  return newest;
}
