import type { DatabaseConfig } from '../platform/config/config.ts';

/** How many connections a process opens there at most: in a vault with nodes, claims have a pool of their own. */
export function connectionsAtHome({ connectionsMax, nodes = [] }: DatabaseConfig): number {
  return nodes.length === 0 ? connectionsMax : 2 * connectionsMax;
}
