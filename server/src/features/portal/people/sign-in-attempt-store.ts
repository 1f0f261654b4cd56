import type { Transaction } from '../../../platform/database/database.ts';
import type { DatabaseClock } from '../../../platform/database/database-clock.ts';

/** Counts sign-in attempts. It works only inside `forPortal`. */
export class SignInAttemptStore {
  readonly #tx: Transaction;
  readonly #now: string;

  constructor(tx: Transaction, clock: DatabaseClock) {
    this.#tx = tx;
    this.#now = `(now() + make_interval(secs => ${clock.aheadSeconds}))`;
  }

  /** Counts one more attempt and returns the number since the window started. */
  async count(subjectHash: Buffer, windowSeconds: number): Promise<number> {
    const [row] = await this.#tx.query<{ attempts: number }>({
      text: `insert into sign_in_attempts as a (subject_hash, attempts, started_at) values ($1, 1, ${this.#now})
        on conflict (subject_hash) do update set
          attempts = case when a.started_at > ${this.#now} - make_interval(secs => $2) then a.attempts + 1 else 1 end,
          started_at = case when a.started_at > ${this.#now} - make_interval(secs => $2) then a.started_at else ${this.#now} end
        returning attempts`,
      values: [subjectHash, windowSeconds],
    });
    return row?.attempts ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Counts one more attempt and returns the number. The count restarts `lockSeconds` after the last attempt that
   * extended it. Attempts beyond `max` do not extend it, so that a lock ends on time regardless of how many there are.
   */
  async countTowardsLock(
    subjectHash: Buffer,
    lock: { readonly max: number; readonly lockSeconds: number },
  ): Promise<number> {
    const isOver = `a.started_at <= ${this.#now} - make_interval(secs => $2)`;
    const [row] = await this.#tx.query<{ attempts: number }>({
      text: `insert into sign_in_attempts as a (subject_hash, attempts, started_at) values ($1, 1, ${this.#now})
        on conflict (subject_hash) do update set
          attempts = case when ${isOver} then 1 else least(a.attempts, $3) + 1 end,
          started_at = case when ${isOver} or a.attempts < $3 then ${this.#now} else a.started_at end
        returning attempts`,
      values: [subjectHash, lock.lockSeconds, lock.max],
    });
    return row?.attempts ?? Number.POSITIVE_INFINITY;
  }

  async forget(subjectHash: Buffer): Promise<void> {
    await this.#tx.query({ text: 'delete from sign_in_attempts where subject_hash = $1', values: [subjectHash] });
  }

  async sweep(windowSeconds: number): Promise<void> {
    await this.#tx.query({
      text: `delete from sign_in_attempts where started_at < ${this.#now} - make_interval(secs => $1)`,
      values: [windowSeconds],
    });
  }
}
