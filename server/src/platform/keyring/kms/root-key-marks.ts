import { sha256 } from '../sealing/sha256.ts';
import type { RootKeys } from './root-keys.ts';

/** Enough to tell the few root keys of an installation apart, and short: the name of a connection has 63 bytes. */
const markLength = 8;

/** Added to the name of a server's connection, so that others can see which root key it wraps with. */
export function markOf({ primary }: RootKeys): string {
  return sha256(Buffer.from(primary.id, 'utf8')).toString('hex').slice(0, markLength);
}
