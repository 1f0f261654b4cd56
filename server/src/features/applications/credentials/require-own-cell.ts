import { otherCell } from '../../../core/identity/other-cell.ts';
import type { ApiKey } from '../../../platform/keyring/sign-in/api-key.ts';

/**
 * Throws if a key names another cell. Nothing is looked up, because no cell knows the keys of another. A key without a
 * name can belong to any cell: it may be older than the cell's name.
 */
export function requireOwnCell({ cell }: Pick<ApiKey, 'cell'>, own: string | undefined): void {
  if (cell !== undefined && cell !== own) throw otherCell(cell);
}
