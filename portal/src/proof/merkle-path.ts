import { sha256 } from './bytes.ts';

/** Leaves and nodes have different prefixes, so that one can never pass for the other (RFC 6962 §2.1). */
const leafPrefix = Uint8Array.of(0x00);
const nodePrefix = Uint8Array.of(0x01);

export function hashLeaf(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(leafPrefix, content);
}

/** Returns the root that the path leads to (RFC 9162 §2.1.3.2). Undefined if the path is too long or too short. */
export async function climb(
  leafHash: Uint8Array,
  place: { readonly index: number; readonly treeSize: number },
  path: readonly Uint8Array[],
): Promise<Uint8Array | undefined> {
  if (place.index < 0 || place.index >= place.treeSize) return undefined;
  let node = place.index;
  let last = place.treeSize - 1;
  let hash = leafHash;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = await sha256(nodePrefix, sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = await sha256(nodePrefix, hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
}
