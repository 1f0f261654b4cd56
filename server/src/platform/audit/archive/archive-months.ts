import { setTimeout as pauseFor } from 'node:timers/promises';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { isPast } from '../retention/audit-retention-job.ts';
import { toRemovedMonth } from '../retention/month-removal.ts';
import { removeMonth } from '../retention/remove-month.ts';
import { RetentionStore } from '../retention/retention-store.ts';
import { findArchivedRemovals } from './archived-removals.ts';
import { type ArchiveParts, writeMonth } from './archive-writer.ts';
import { LogArchive } from './log-archive.ts';

export interface ArchiveOptions {
  /** The number of whole months that stay in the database. */
  readonly monthsKept: number;
  /** False to leave the month in the database as well. */
  readonly drops: boolean;
  /** How long to wait until the records of a removal are sealed. */
  readonly sealedWithinMs?: number;
}

/** A month that is archived. */
export interface MonthReport {
  readonly month: string;
  readonly files: number;
  readonly records: number;
  readonly bytes: number;
  readonly isDropped: boolean;
}

const lookAgainMs = 500;
const defaultWaitMs = 60_000;
/** How often a month is written again because records of it were sealed in the meantime. */
const attemptsMax = 3;

/**
 * Archives every month that is past its retention, oldest first: writes it, reads it back and checks it, records its
 * removal in the log, and drops it. Whatever was done before is not done again.
 */
export async function archiveMonths(parts: ArchiveParts, options: ArchiveOptions): Promise<MonthReport[]> {
  const months = await parts.database.forSealer((tx) => new RetentionStore(tx).listDroppable(options.monthsKept));
  const reports: MonthReport[] = [];
  for (const month of months.filter((each) => isPast(each, options.monthsKept, new Date()))) {
    reports.push(await archiveMonth(parts, month, options));
  }
  return reports;
}

async function archiveMonth(parts: ArchiveParts, month: string, options: ArchiveOptions): Promise<MonthReport> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const archive = new LogArchive(parts.store, parts.signer.publicKey);
    const name = toRemovedMonth(month);
    if ((await findArchivedRemovals(parts.database, archive, month)) === undefined) await writeMonth(parts, name);
    const { files = [] } = (await archive.readManifest(name)) ?? {};
    for (const file of files) await archive.readFile({ ...file, month: name });
    const sum = (of: (file: (typeof files)[number]) => number) => files.reduce((total, file) => total + of(file), 0);
    const report = { month: name, files: files.length, records: sum((it) => it.records), bytes: sum((it) => it.bytes) };
    if (!options.drops) return { ...report, isDropped: false };
    if (await dropArchived(parts, archive, month, options)) return { ...report, isDropped: true };
  }
  throw notSealed(month);
}

/** Returns false if the month has come to hold records that are not archived. */
async function dropArchived(
  { database, signer }: ArchiveParts,
  archive: LogArchive,
  month: string,
  { sealedWithinMs = defaultWaitMs }: ArchiveOptions,
): Promise<boolean> {
  const end = performance.now() + sealedWithinMs;
  for (;;) {
    const removals = await findArchivedRemovals(database, archive, month);
    if (removals === undefined) return false;
    if (await removeMonth(database, month, { signer, removals })) return true;
    if (performance.now() > end) throw notSealed(month);
    await pauseFor(lookAgainMs);
  }
}

function notSealed(month: string): OperatorError {
  return new OperatorError(
    `${toRemovedMonth(month)} is archived, but not dropped: its removal must be sealed first, by \`strongroom work\`. Run the command again.`,
  );
}
