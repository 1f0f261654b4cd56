import { otherCell } from '../../../core/identity/other-cell.ts';
import type { ApiKey } from '../../../platform/keyring/sign-in/api-key.ts';
import type { KnownMoves } from './moved-keys.ts';

/**
 * Throws if a key belongs to another cell: its tenant has moved there, or the key names it and has not moved here with
 * its tenant. The key is not looked up, because no cell knows the keys of another. A key without a name can belong to
 * any cell: it may be older than the cell's name.
 */
export function requireOwnCell(
  { id, cell }: Pick<ApiKey, 'id' | 'cell'>,
  { own, moves }: { readonly own: string | undefined; readonly moves: KnownMoves },
): void {
  const departedTo = moves.departed.get(id);
  if (departedTo !== undefined) throw otherCell(departedTo);
  if (cell !== undefined && cell !== own && !moves.adopted.has(id)) throw otherCell(cell);
}
