import { isUuid, type TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { sortIds } from '../../../platform/nodes/id-order-store.ts';
import type { TokenPlace } from './token-query-store.ts';

/**
 * Tokens of several nodes in the order in which each of them lists its own. Ids of the same instant are in the order of the
 * database, which only the database knows: it is asked unless they are UUIDs, which every order sorts alike.
 */
export async function sortNewestFirst<Item extends TokenPlace>(
  database: Database,
  tenantId: TenantId,
  tokens: readonly Item[],
): Promise<Item[]> {
  const times = new Set(tokens.map(({ createdAt }) => createdAt.getTime()));
  const isPlain = times.size === tokens.length || tokens.every(({ id }) => isUuid(id) && id === id.toLowerCase());
  const compareIds = isPlain ? compareTexts : await readOrder(database, tenantId, tokens);
  return tokens.toSorted(
    (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || compareIds(other.id, one.id),
  );
}

type Compare = (one: string, other: string) => number;

const compareTexts: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

async function readOrder(database: Database, tenantId: TenantId, tokens: readonly TokenPlace[]): Promise<Compare> {
  const ids = tokens.map(({ id }) => id);
  const places = new Map((await sortIds(database, tenantId, ids)).map((id, place) => [id, place]));
  return (one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0);
}
