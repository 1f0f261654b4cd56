import type { Transaction } from '../database/database.ts';

/** A part of the log of a node, in its sealing order. */
export interface WatchedRange {
  readonly from: string;
  readonly to: string;
}

/** How far off the log of a node the home database may be before it forgets what it needs for it. */
const awayMaxDays = 7;

/**
 * Until when all nodes have been watched; null where there is none. Windows after it are not forgotten, for a week at most: a node that
 * is away for longer does not fill the home database.
 */
export const seenOnAllNodesSql = `(select greatest(min(coalesce(w.seen_until, n.added_at)), now() - interval '${awayMaxDays} days')
  from vault_nodes n left join audit_watched_nodes w on w.node = n.name having count(*) > 0)`;

/** What the home database remembers of watching a node. */
export class NodeWatchStore {
  readonly #tx: Transaction;
  readonly #node: string;

  constructor(tx: Transaction, node: string) {
    this.#tx = tx;
    this.#node = node;
  }

  /** Where the records end that were added last, if they begin here. */
  async findAdded(from: string): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ to: string }>({
      name: 'node-watch-added',
      text: 'select added_to::text as "to" from audit_watched_nodes where node = $1 and added_from = $2::bigint',
      values: [this.#node, from],
    });
    return row?.to;
  }

  async noteAdded({ from, to }: WatchedRange): Promise<void> {
    await this.#tx.query({
      name: 'node-watch-add',
      text: `insert into audit_watched_nodes (node, added_from, added_to, seen_until) values ($1, $2, $3, '-infinity')
        on conflict (node) do update set added_from = excluded.added_from, added_to = excluded.added_to`,
      values: [this.#node, from, to],
    });
  }

  async noteSeen(until: Date): Promise<void> {
    await this.#tx.query({
      name: 'node-watch-seen',
      text: `insert into audit_watched_nodes (node, seen_until) values ($1, $2)
        on conflict (node) do update set seen_until = excluded.seen_until`,
      values: [this.#node, until],
    });
  }
}

/** On a node: all records that were written before this are sealed, or will be seen by whoever looks from now on. */
export async function findSealedUntil(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ until: Date }>({
    name: 'node-watch-until',
    text: `select coalesce((select r.created_at from audit_records r where r.sealing_order >= s.sealed_to
        order by r.sealing_order limit 1), now()) as until from audit_sealing s`,
  });
  return row?.until ?? new Date(0);
}
