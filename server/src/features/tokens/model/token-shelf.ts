import { type GroupMatch, isAnyIn, matchContainers } from '../../../core/search/first-rule.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';

/**
 * All tokens of one type in the same set of containers, and the number of live ones. Visibility is decided per shelf.
 */
export interface TokenShelf {
  readonly type: string;
  readonly containers: readonly string[];
  readonly tokens: number;
}

/** Returns type and containers as one text, as stored with tokens. Neither of them contains a space. */
export function toShelfKey({ type, containers }: Pick<TokenShelf, 'type' | 'containers'>): string {
  return [type, ...containers].join(' ');
}

export function fromShelfKey(key: string): Pick<TokenShelf, 'type' | 'containers'> {
  const [type = '', ...containers] = key.split(' ');
  return { type, containers };
}

export function matchShelf(query: SearchQuery | undefined, shelf: TokenShelf): GroupMatch {
  if (query === undefined) return 'all';
  switch (query.kind) {
    case 'term':
      return query.field === 'type' ? toMatch(query.value === shelf.type) : 'some';
    case 'container':
      return toMatch(isAnyIn(query, shelf.containers));
    case 'data':
    case 'metadata':
    case 'range':
      return 'some';
    case 'first-rule':
      return matchContainers(query, shelf.containers);
    case 'not':
      return opposite[matchShelf(query.operand, shelf)];
    case 'and':
      return combine(
        query.operands.map((operand) => matchShelf(operand, shelf)),
        'none',
        'all',
      );
    case 'or':
      return combine(
        query.operands.map((operand) => matchShelf(operand, shelf)),
        'all',
        'none',
      );
  }
}

const opposite: Readonly<Record<GroupMatch, GroupMatch>> = { all: 'none', none: 'all', some: 'some' };

function toMatch(isMatch: boolean): GroupMatch {
  return isMatch ? 'all' : 'none';
}

/** Returns `deciding` if any operand equals it, `other` if all operands equal that, and `some` otherwise. */
function combine(matches: readonly GroupMatch[], deciding: GroupMatch, other: GroupMatch): GroupMatch {
  if (matches.includes(deciding)) return deciding;
  return matches.every((match) => match === other) ? other : 'some';
}

const slots = 64;
const ownSlot = Math.floor(Math.random() * slots);

/**
 * Returns the counter row to add to. Servers and concurrent batches use different rows, so that none waits for another.
 */
export function countSlot(offset = 0): number {
  return (ownSlot + offset) % slots;
}
