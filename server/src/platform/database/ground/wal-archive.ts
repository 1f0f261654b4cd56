import { type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';
import { hidden } from './hidden-setting.ts';

const name = 'WAL archive';
const ageMaxSeconds = 3_600;

export function checkWalArchive(reading: GroundReading): GroundFinding {
  const { archiveMode, archivedAgeSeconds, archiveFailingSeconds } = reading;
  if (archiveMode === null) return hidden(name);
  const promise = 'a backup can be restored to the moment before a disaster';
  if (archiveMode === 'off') {
    return {
      name,
      verdict: 'warn',
      detail: 'archive_mode is off: what was written since the last backup exists nowhere else',
      promise,
      remedy:
        'archive the write-ahead log (docs/operate/backup.md), unless the service that runs PostgreSQL does it in its own way',
    };
  }
  const last =
    archivedAgeSeconds === null ? 'nothing was archived yet' : `last archived ${ageOf(archivedAgeSeconds)} ago`;
  if (archiveFailingSeconds > 0) {
    return {
      name,
      verdict: 'fail',
      detail: `the last attempt failed; ${last}`,
      promise: `${promise}; the log that is kept meanwhile fills the disk`,
      remedy: 'the log of PostgreSQL says why archive_command failed; see docs/runbooks/wal-archive-failing.md',
    };
  }
  if (archivedAgeSeconds !== null && archivedAgeSeconds <= ageMaxSeconds) return ok(name, last);
  return {
    name,
    verdict: 'warn',
    detail: last,
    promise: `${promise}: what was written since then would be lost`,
    remedy: 'set archive_timeout, for example to 5min, so that a quiet vault archives as well',
  };
}

function ageOf(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
