import type { StoredToken } from '../model/token.ts';

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
