import { sha256 } from '../sealing/sha256.ts';
import type { RootKeys } from './root-keys.ts';

/**
 * The length of a mark. It is enough to tell the few root keys of an installation apart, and short because a
 * connection's name has at most 63 bytes.
 */
const markLength = 8;

/**
 * Returns a mark for the name of a server's connection, so that other processes can see which root key the server wraps
 * with, and whether it has the same own root keys of tenants.
 */
export function markOf({ primary, own }: RootKeys): string {
  const mark = digest(primary.id);
  return own.names.length === 0 ? mark : `${mark}.${digest(own.names.toSorted().join(' '))}`;
}

/** Returns the part of a mark that names the root key of the vault. */
export function primaryMarkOf(mark: string): string {
  return mark.slice(0, markLength);
}

function digest(text: string): string {
  return sha256(Buffer.from(text, 'utf8')).toString('hex').slice(0, markLength);
}
