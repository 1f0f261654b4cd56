import { checkClock } from './clock-offset.ts';
import { checkConnectionLimit } from './connection-limit.ts';
import { checkFsync, checkFullPageWrites } from './crash-safety.ts';
import type { GroundExpectations, GroundFinding } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';
import { checkWritable } from './read-only.ts';
import { checkReplicationLag } from './replication-lag.ts';
import { checkSynchronousCommit } from './synchronous-commit.ts';
import { checkSynchronousStandby } from './synchronous-standby.ts';
import { checkWalArchive } from './wal-archive.ts';

type GroundCheck = (reading: GroundReading, expectations: GroundExpectations) => GroundFinding;

const checks: readonly GroundCheck[] = [
  checkWritable,
  checkClock,
  checkFsync,
  checkFullPageWrites,
  checkSynchronousCommit,
  checkSynchronousStandby,
  checkReplicationLag,
  checkWalArchive,
  checkConnectionLimit,
];

export function judgeGround(reading: GroundReading, expectations: GroundExpectations): GroundFinding[] {
  return checks.map((check) => check(reading, expectations));
}
