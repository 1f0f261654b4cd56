import type { TenantId } from '../../../core/identity/ids.ts';
import { drawerOf, type DrawerSet } from '../drawers.ts';
import { forgetArrivals, listArrivedTenants } from './arrival-store.ts';
import type { DrawerMove, LinkedNode, MovePlaces } from './drawer-move.ts';
import { findMove, listTenants } from './drawer-move-store.ts';
import type { OwnerLink } from '../../database/owner-link.ts';
import { readIdentity } from './node-overview-store.ts';
import { asMover, deleteTokens, filterIds, replaceTokens } from './token-copy-store.ts';
import { eachPageOfIds } from './token-pages.ts';

/** Told after each page, with how many tokens were deleted. */
type OnPage = (tokens: number) => Promise<void>;

/**
 * Deletes what the source has left of drawers that the target has received, as long as `requireReceived` does not throw. What the source
 * holds is left alone in any case.
 */
export async function deleteLeft(
  { source }: MovePlaces,
  move: DrawerMove,
  { requireReceived, onPage }: { readonly requireReceived: () => Promise<void>; readonly onPage: OnPage },
): Promise<void> {
  const { held } = await readIdentity(source.link);
  const isLeft = (id: string) => move.drawers.has(drawerOf(id)) && !held.has(drawerOf(id));
  for (const tenantId of await listTenants(source.link, move)) {
    await eachPageOfIds(source.link, tenantId, async (ids) => {
      const left = ids.filter(isLeft);
      await requireReceived();
      if (left.length > 0) await asMover(source.link, tenantId, (tx) => deleteTokens(tx, tenantId, left));
      await onPage(left.length);
    });
  }
}

/** Deletes all copies that the target does not hold, whichever move they are from. */
export async function deleteCopies({ target }: MovePlaces, onPage: OnPage): Promise<void> {
  await deleteUnheld(target, async (_, copies) => copies, onPage);
  await asMover(target.link, undefined, forgetArrivals);
}

/**
 * Deletes copies that an earlier run, another move or a restored database has left at the target: tokens of other drawers, and those
 * that the source does not have. What remains can be compared with the source.
 */
export async function deleteStrays({ source, target }: MovePlaces, move: DrawerMove): Promise<void> {
  await deleteUnheld(target, async (tenantId, copies) => {
    const own = copies.filter((id) => move.drawers.has(drawerOf(id)));
    const known = await asMover(source.link, tenantId, (tx) => filterIds(tx, tenantId, own));
    return copies.filter((id) => !known.has(id));
  });
}

async function deleteUnheld(
  { link }: LinkedNode,
  choose: (tenantId: TenantId, copies: readonly string[]) => Promise<readonly string[]>,
  onPage?: OnPage,
): Promise<void> {
  const kept = await readKept(link);
  // Whatever was copied is counted there.
  for (const tenantId of await asMover(link, undefined, listArrivedTenants)) {
    await eachPageOfIds(link, tenantId, async (all) => {
      const copies = all.filter((id) => !kept.has(drawerOf(id)));
      const ids = copies.length === 0 ? [] : await choose(tenantId, copies);
      if (ids.length > 0) {
        await asMover(link, tenantId, (tx) => replaceTokens(tx, tenantId, { ids, tokens: [], cvcs: [] }));
      }
      await onPage?.(ids.length);
    });
  }
}

/** What it holds, and what leaves it by a move of its own: there, its rows are no copies. */
async function readKept(link: OwnerLink): Promise<DrawerSet> {
  const { held } = await readIdentity(link);
  const move = await findMove(link);
  return move === undefined ? held : held.with(move.drawers);
}
