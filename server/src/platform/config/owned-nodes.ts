import { homeName } from '../../core/nodes/home-name.ts';
import type { DatabaseConfig } from './config.ts';

/** A database of a vault, as the role that owns its schema reaches it. */
export interface OwnedNode {
  readonly name: string;
  readonly ownerUrl: string;
}

/** All databases of a vault; home is the first. */
export function listOwnedNodes({
  ownerUrl,
  nodes = [],
  nodeOwners = [],
}: DatabaseConfig): readonly [OwnedNode, ...OwnedNode[]] {
  const others = nodes.map(({ name, url }) => ({
    name,
    ownerUrl: nodeOwners.find((owner) => owner.name === name)?.url ?? url,
  }));
  return [{ name: homeName, ownerUrl }, ...others];
}
