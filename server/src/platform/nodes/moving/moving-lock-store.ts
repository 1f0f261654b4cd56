import { setTimeout as pauseFor } from 'node:timers/promises';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { OwnerLink } from '../../database/owner-link.ts';

/** Chosen once: one at a time adds nodes or moves drawers of a vault. */
const movingLock = 7_120_460_355;
const lockWaitMs = 2_000;
const lockPauseMs = 100;

/** Of the sessions of those who do, so that an operator finds them. */
export const movingSession = 'strongroom nodes';

/** Until the session ends. PostgreSQL may take a moment to notice that the one who had it was killed. */
export async function takeMovingLock(link: OwnerLink): Promise<void> {
  const giveUpAt = performance.now() + lockWaitMs;
  while (!(await link.tryLock(movingLock))) {
    if (performance.now() > giveUpAt) throw alreadyMoving();
    await pauseFor(lockPauseMs);
  }
}

function alreadyMoving(): OperatorError {
  return new OperatorError(
    `Nodes are being added or drawers of this vault are being moved by another command. Wait until it has ended, then try again. If it hangs, run this on every database of the vault, which ends its sessions: select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${movingSession}' and datname = current_database(). The next command continues what it has begun.`,
  );
}
