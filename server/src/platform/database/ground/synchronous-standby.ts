import { type GroundExpectations, type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';

const name = 'synchronous standby';
const setting = 'STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY';

export function checkSynchronousStandby(
  { standbysNeeded: needed, standbysAttached: attached }: GroundReading,
  { requiresStandby }: GroundExpectations,
): GroundFinding {
  if (needed === 0) {
    return {
      name,
      verdict: requiresStandby ? 'fail' : 'warn',
      detail: `synchronous_standby_names is empty${requiresStandby ? `: writes are refused, since ${setting} is true` : ''}`,
      promise: requiresStandby ? 'the vault accepts writes' : 'an acknowledged write survives the loss of the primary',
      remedy:
        'attach a standby and name it in synchronous_standby_names; if a service replicates the disk instead, ask it',
    };
  }
  if (attached === null) {
    return {
      name,
      verdict: 'unknown',
      detail: `${needed} must confirm; who is attached is visible only to members of pg_read_all_stats`,
      remedy: 'grant pg_read_all_stats to the role that owns the schema',
    };
  }
  const detail = `${attached} attached, ${needed} must confirm`;
  if (attached >= needed) return ok(name, `${detail}; ${requiresStandby ? 'required' : 'not required'} by ${setting}`);
  return {
    name,
    verdict: 'fail',
    detail: `${detail}: writes ${requiresStandby ? 'are refused' : 'wait until one is'}`,
    promise: 'the vault accepts writes',
    remedy: 'start the standby; see docs/runbooks/standby-lost.md',
  };
}
