import type { DrawerSet } from './drawers.ts';
import { isReceived, type NodeState } from './node-store.ts';
import type { VaultNode } from './vault-node.ts';

/** A database that has said what it holds and what has left it. */
export interface Claimant {
  readonly name: string;
  readonly state: NodeState;
  /** Whether it has come to hold the drawers of a move. */
  hasReceived(moveId: string): Promise<boolean>;
}

/**
 * What each database claims, in their order: what it holds, and what has left it and was not received. As long as the move is between
 * the two, nobody else holds that. If somebody does, one of them was restored to an earlier state.
 */
export function listClaims(all: readonly Claimant[]): Promise<DrawerSet[]> {
  return Promise.all(
    all.map(async (own) => {
      const { held, left } = own.state;
      if (left === undefined) return held;
      const others = all.filter((other) => other !== own).map(({ state }) => state);
      const isDisputed = others.some((other) => mayHave(other).overlaps(left.drawers));
      // Who else is asked only where it matters: servers look often while drawers change hands.
      if (!isDisputed) return held.with(left.drawers);
      const target = all.find(({ name }) => name === left.to);
      return (await target?.hasReceived(left.moveId)) === true ? held : held.with(left.drawers);
    }),
  );
}

/** As servers see it. What a node that cannot be reached may have received is not known to be received. */
export async function readClaims(
  states: ReadonlyMap<VaultNode, NodeState>,
): Promise<ReadonlyMap<VaultNode, DrawerSet>> {
  const nodes = [...states.keys()];
  const claims = await listClaims(
    [...states].map(([{ name, database }, state]) => ({
      name,
      state,
      hasReceived: (moveId) => database.forSystem((tx) => isReceived(tx, moveId)).catch(() => false),
    })),
  );
  return new Map(nodes.flatMap((node, index) => (claims[index] === undefined ? [] : [[node, claims[index]]])));
}

function mayHave({ held, left }: NodeState): DrawerSet {
  return left === undefined ? held : held.with(left.drawers);
}
