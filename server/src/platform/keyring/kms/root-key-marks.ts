import { sha256 } from '../sha256.ts';

/** Enough to tell the few root keys of an installation apart, and short: the name of a connection has 63 bytes. */
const markLength = 8;

/** What a server calls its connection by, so that others can see which root keys it has. */
export function markOf(rootKeyIds: readonly string[]): string {
  return rootKeyIds.map(toMark).join(',');
}

export function hasMark(mark: string, rootKeyId: string): boolean {
  return mark.split(',').includes(toMark(rootKeyId));
}

function toMark(id: string): string {
  return sha256(Buffer.from(id, 'utf8')).toString('hex').slice(0, markLength);
}
