import { sha256 } from '../sealing/sha256.ts';
import type { RootKeys } from './root-keys.ts';

/**
 * The length of a mark. It is enough to tell the few root keys of an installation apart, and short because a
 * connection's name has at most 63 bytes.
 */
const markLength = 8;

/**
 * Returns a mark for the name of a server's connection, so that other processes can see which root key the server wraps
 * with.
 */
export function markOf({ primary }: RootKeys): string {
  return sha256(Buffer.from(primary.id, 'utf8')).toString('hex').slice(0, markLength);
}
