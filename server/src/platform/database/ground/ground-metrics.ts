import type { Metrics } from '../../telemetry/metrics.ts';
import { connectionsLeft } from './connection-limit.ts';
import type { GroundReading } from './ground-reading.ts';
import type { GroundWatch } from './ground-watch.ts';

/** Adds the readings as gauges. An unknown value has no series. */
export function addGroundMetrics(metrics: Metrics, watch: GroundWatch): void {
  const gauges: readonly [name: string, help: string, read: (reading: GroundReading) => number | null][] = [
    [
      'strongroom_synchronous_standbys',
      'Standbys that confirm commits.',
      ({ standbysNeeded, standbysAttached }) => (standbysNeeded === 0 ? 0 : standbysAttached),
    ],
    [
      'strongroom_synchronous_standbys_needed',
      'Standbys without which the vault does not write: as many as PostgreSQL waits for, and at least one if the vault requires it.',
      ({ standbysNeeded }) => Math.max(standbysNeeded, watch.requiresStandby ? 1 : 0),
    ],
    [
      'strongroom_database_clock_offset_seconds',
      'How far the clock of the database is ahead of that of this process; negative if it is behind.',
      ({ clock }) => clock.offsetSeconds,
    ],
    [
      'strongroom_database_connections_left',
      'Connections that PostgreSQL would still accept from the vault.',
      connectionsLeft,
    ],
    [
      'strongroom_wal_archive_failing_seconds',
      'How long ago the write-ahead log was last archived, if the last attempt failed; 0 otherwise.',
      ({ archiveFailingSeconds }) => archiveFailingSeconds,
    ],
  ];
  for (const [name, help, read] of gauges) metrics.addReading(name, help, () => readingOf(watch, read));
}

function readingOf({ reading }: GroundWatch, read: (reading: GroundReading) => number | null): number | undefined {
  return reading === undefined ? undefined : (read(reading) ?? undefined);
}
