import { markUncertain } from '../../../platform/database/database-error.ts';
import type { Nodes } from '../../../platform/nodes/nodes.ts';
import { PlacesDiffer } from '../../../platform/nodes/retry-refused.ts';
import type { StoredToken } from '../model/token.ts';
import type { TokenInsert } from './token-insert-sql.ts';

/** Claims are made at home, and what they stand for is written in one other place at most. */
export async function requireOnePlace(nodes: Nodes, items: readonly TokenInsert[]): Promise<void> {
  if (nodes.isAlone || (await nodes.group(items.map(({ token }) => token.id))).size <= 1) return;
  throw new PlacesDiffer(
    'validation-failed',
    'The ids that this request chooses lie on different nodes of the vault, and some of its tokens are to be deduplicated. Send such tokens one by one.',
  );
}

/**
 * What is written on several nodes, one after the other: nothing of it may be under way when the claims are released. If something fails
 * after a part was committed, nobody can say that nothing happened.
 */
export async function inOrder<Inserted, Updated>(
  insert: () => Promise<Inserted>,
  updates: readonly (() => Promise<Updated>)[],
): Promise<[Inserted, Updated[]]> {
  const inserted = await insert();
  const updated: Updated[] = [];
  for (const update of updates) {
    try {
      updated.push(await update());
    } catch (error) {
      markUncertain(error);
      throw error;
    }
  }
  return [inserted, updated];
}

/** Of what two nodes have found, by the text of its key. */
export function oldestOfEach(
  some: ReadonlyMap<string, StoredToken>,
  others: ReadonlyMap<string, StoredToken>,
): ReadonlyMap<string, StoredToken> {
  const oldest = new Map(some);
  for (const [text, token] of others) {
    const known = oldest.get(text);
    if (known === undefined || isOlder(token, known)) oldest.set(text, token);
  }
  return oldest;
}

function isOlder(one: StoredToken, other: StoredToken): boolean {
  const difference = one.createdAt.getTime() - other.createdAt.getTime();
  return difference < 0 || (difference === 0 && one.id < other.id);
}
