import { setTimeout as pauseFor } from 'node:timers/promises';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { Transaction } from '../../database/database.ts';
import { isLockTimeout } from '../../database/database-error.ts';
import type { LinkedNode } from './drawer-move.ts';
import { limitLockWait } from './drawer-move-store.ts';

/**
 * How long to wait for a lock on tokens. Servers that want to write wait behind it, so it is short at first. The last is longer than
 * PostgreSQL lets an autovacuum stand in the way (`deadlock_timeout`, a second by default).
 */
const waitsMs = [200, 200, 500, 500, 1_500];
const pauseMs = 500;
const patienceMs = 5 * 60_000;

export type LockPatience = 'patient' | 'brief';

/** Runs a transaction that locks tokens. Backs off while they are in use, and tries again; briefly, each wait is tried once. */
export async function withLockPatience<T>(
  { name, link }: LinkedNode,
  work: (tx: Transaction) => Promise<T>,
  patience: LockPatience = 'patient',
): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await link.transaction(async (tx) => {
        await limitLockWait(tx, waitsMs[attempt % waitsMs.length] ?? 0);
        return work(tx);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const isOver = patience === 'brief' ? attempt + 1 >= waitsMs.length : performance.now() > giveUpAt;
      if (isOver) throw busy(name, error);
      await pauseFor(pauseMs);
    }
  }
}

function busy(name: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The tokens of ${name} could not be locked because of long-running transactions. End them (see pg_stat_activity), then run the command again: it continues where it left off.`,
    { cause },
  );
}
