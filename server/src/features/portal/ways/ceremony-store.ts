import type { Transaction } from '../../../platform/database/database.ts';

/** Stores completed ceremonies. It works only inside `forPortal`. */
export class CeremonyStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Marks a ceremony as completed. It is kept for twice the lifetime of a ceremony, because the clocks of servers may
   * differ.
   */
  async spend(id: string, lifetimeSeconds: number): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `insert into spent_ceremonies (id, expires_at) values ($1, now() + make_interval(secs => $2 * 2))
        on conflict do nothing returning id`,
      values: [id, lifetimeSeconds],
    });
    return rows.length > 0;
  }

  async sweep(): Promise<void> {
    await this.#tx.query({ text: 'delete from spent_ceremonies where expires_at < now()' });
  }
}
