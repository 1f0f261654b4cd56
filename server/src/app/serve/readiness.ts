import type { ReadinessCheck } from '../../http/edge/admin-edge.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireAnswer, requireWritable } from '../../platform/database/require-answer.ts';

/** Creates the checks that the database responds, and that it accepts changes: nearly every request writes a record. */
export function databaseChecks(database: Database): ReadinessCheck[] {
  return [
    { name: 'database', check: () => requireAnswer(database) },
    { name: 'writable database', check: () => requireWritable(database) },
  ];
}

/** Creates a check that fails after the stop signal, although everything still works. */
export function notStopping(isStopping: () => boolean): ReadinessCheck {
  return claimCheck('not draining', () => !isStopping());
}

export function claimCheck(name: string, holds: () => boolean): ReadinessCheck {
  return {
    name,
    check: async () => {
      if (!holds()) throw new Error('not ready');
    },
  };
}
