import type { ReadinessCheck } from '../../http/edge/admin-edge.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireAnswer } from '../../platform/database/require-answer.ts';

export function databaseCheck(database: Database): ReadinessCheck {
  return { name: 'database', check: () => requireAnswer(database) };
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
