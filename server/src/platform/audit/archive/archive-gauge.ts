import type { Database } from '../../database/database.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { withinScrape } from '../../waiting/within-scrape.ts';
import { toRemovedMonth } from '../retention/month-removal.ts';
import { RetentionStore } from '../retention/retention-store.ts';

/**
 * Reports how long the oldest month that is past its retention has waited for the archive. All workers report the same.
 * It asks only the database, because retention drops a month within two hours after the archive has it.
 */
export function addArchiveGauge(
  metrics: Metrics,
  database: Database,
  { hasArchive, monthsKept }: { readonly hasArchive: boolean; readonly monthsKept: number },
): void {
  metrics.addGauges(
    'strongroom_audit_archive_waiting_seconds',
    'How long the oldest month of the log that is past its retention has waited for the archive.',
    'month',
    async () => {
      if (!hasArchive) return new Map();
      const reading = database.forSealer((tx) => new RetentionStore(tx).findOldestPast(monthsKept));
      const oldest = await withinScrape(reading);
      return new Map(oldest === undefined ? [] : [[toRemovedMonth(oldest.month), oldest.seconds]]);
    },
  );
}
