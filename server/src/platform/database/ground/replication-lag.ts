import { formatBytes } from './format-bytes.ts';
import { type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';

const name = 'replication lag';
/** The same threshold as in the alert StrongroomReplicationLag. */
const lagMaxBytes = 64 * 1024 * 1024;

export function checkReplicationLag({ standbysStreaming, lagBytes }: GroundReading): GroundFinding {
  if (standbysStreaming === null) {
    return {
      name,
      verdict: 'unknown',
      detail: 'visible only to members of pg_read_all_stats',
      remedy: 'grant pg_read_all_stats to the role that owns the schema',
    };
  }
  if (standbysStreaming === 0) return ok(name, 'no standby is attached');
  const detail = `the standby that is furthest behind lacks ${formatBytes(lagBytes ?? 0)}`;
  if ((lagBytes ?? 0) <= lagMaxBytes) return ok(name, detail);
  return {
    name,
    verdict: 'warn',
    detail,
    promise: 'a failover takes seconds and, to a standby that does not confirm commits, loses next to nothing',
    remedy: 'see docs/runbooks/replication-lag.md',
  };
}
