import { type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';
import { hidden } from './hidden-setting.ts';

const name = 'synchronous_commit';

export function checkSynchronousCommit({ synchronousCommit, standbysNeeded }: GroundReading): GroundFinding {
  if (synchronousCommit === null) return hidden(name);
  const remedy = 'set synchronous_commit = on for the server, the database and the login of the vault';
  if (synchronousCommit === 'off') {
    return {
      name,
      verdict: 'fail',
      detail: 'off: a commit does not wait for the disk',
      promise: 'an acknowledged write survives a crash of PostgreSQL',
      remedy,
    };
  }
  if (synchronousCommit === 'local' && standbysNeeded > 0) {
    return {
      name,
      verdict: 'fail',
      detail: 'local: a commit does not wait for the standby that is configured',
      promise: 'an acknowledged write survives the loss of the primary',
      remedy,
    };
  }
  if (synchronousCommit === 'remote_write' && standbysNeeded > 0) {
    return {
      name,
      verdict: 'warn',
      detail: 'remote_write: a commit does not wait for the disk of the standby',
      promise: 'an acknowledged write survives if primary and standby lose power together',
      remedy,
    };
  }
  return ok(name, synchronousCommit);
}
