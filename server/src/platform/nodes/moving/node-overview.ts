import { toError } from '../../../core/errors/thrown.ts';
import { OwnerLink } from '../../database/owner-link.ts';
import type { OwnedNode } from '../../config/owned-nodes.ts';
import { homeName } from '../../../core/nodes/home-name.ts';
import { findMove } from './drawer-move-store.ts';
import type { MoveState } from './drawer-move.ts';
import { movingSession } from './moving-lock-store.ts';
import { countTokens, findIdentity } from './node-overview-store.ts';

/** What a database of the vault has, or why it cannot say so. */
export type NodeOverview = { readonly name: string } & (
  | {
      readonly drawers: number;
      readonly tokens: number;
      /** A move of drawers from here that has not ended. */
      readonly moving: { readonly to: string; readonly drawers: number; readonly state: MoveState } | undefined;
    }
  | { readonly problem: string }
);

export function listNodes(nodes: readonly OwnedNode[]): Promise<NodeOverview[]> {
  return Promise.all(nodes.map(describe));
}

async function describe({ name, ownerUrl: url }: OwnedNode): Promise<NodeOverview> {
  const options = { url, variable: 'STRONGROOM_NODES', applicationName: movingSession };
  try {
    return await OwnerLink.with(options, async (link): Promise<NodeOverview> => {
      const own = await findIdentity(link);
      if (own?.name !== name) return { name, problem: toProblem(name) };
      const move = await findMove(link);
      const moving = move === undefined ? undefined : { to: move.to, drawers: move.drawers.size, state: move.state };
      return { name, drawers: own.held.size, tokens: await countTokens(link), moving };
    });
  } catch (error) {
    return { name, problem: toError(error).message };
  }
}

function toProblem(name: string): string {
  return name === homeName
    ? 'not migrated yet: run `strongroom migrate`'
    : `not added yet: run \`strongroom nodes add ${name}\``;
}
