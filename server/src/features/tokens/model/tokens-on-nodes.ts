import type { TokenId } from '../../../core/identity/ids.ts';
import type { Nodes, VaultNode } from '../../../platform/nodes/nodes.ts';
import { retryOutdated } from '../../../platform/nodes/retry-outdated.ts';
import type { FoundTokens } from './token-find-sql.ts';
import { isTooMuchTogether } from './token-row-sql.ts';

type Find = (node: VaultNode, ids: readonly TokenId[]) => Promise<FoundTokens>;

/** Looks tokens up on the nodes that hold them; those whose drawer has moved on meanwhile once more, where it is now. */
export async function findOnNodes(nodes: Nodes, ids: readonly TokenId[], find: Find): Promise<FoundTokens> {
  if (nodes.isAlone) return find(nodes.home, ids);
  return retryOutdated(nodes, () => findOnSeveral(nodes, ids, find));
}

async function findOnSeveral(nodes: Nodes, ids: readonly TokenId[], find: Find): Promise<FoundTokens> {
  const tokens: [TokenId, NonNullable<ReturnType<FoundTokens['tokens']['get']>>][] = [];
  let isCut = false;
  for (let wanted = ids; wanted.length > 0; ) {
    const { known } = nodes;
    const gone = await Promise.all(
      [...(await nodes.group(wanted))].map(async ([node, own]) => {
        const found = await find(node, own);
        tokens.push(...found.tokens);
        isCut ||= found.isCut;
        return nodes.listGone(
          node,
          own.filter((id) => !found.tokens.has(id)),
          known,
        );
      }),
    );
    wanted = gone.flat();
  }
  const found = new Map(tokens);
  return { tokens: found, isCut: isCut || isTooMuchTogether(found.values()) };
}
