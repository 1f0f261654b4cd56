import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { drawerOf } from '../drawers.ts';
import { ensureGuarded } from '../node-adding-store.ts';
import { type DrawerMove, hasLeft, type MovePlaces } from './drawer-move.ts';
import {
  findMove,
  insertRelease,
  listTenants,
  lockOutWriters,
  saveState,
  saveTenants,
  updateHeld,
} from './drawer-move-store.ts';
import { withLockPatience } from './lock-patience.ts';
import { readIdentity } from './node-overview-store.ts';
import { findReceivedCounts, insertReceipt } from './receipt-store.ts';
import { asMover, type CountedTokens, countTokensOf } from './token-copy-store.ts';
import { eachPageOfIds } from './token-pages.ts';

/**
 * Makes a database that was restored to an earlier state give up drawers that it had given to another before. What it has of them is older
 * than what the other has.
 */
export async function beginRelease({ source, target }: MovePlaces): Promise<void> {
  const [own, others] = [(await readIdentity(source.link)).held, (await readIdentity(target.link)).held];
  const begun = await findMove(source.link);
  if (begun !== undefined && hasLeft(begun)) {
    // Some of it is deleted, so that nothing but what the target has is whole.
    if (begun.to !== target.name || !others.includes(begun.drawers)) throw notWhole({ source, target }, begun);
    await target.link.transaction((tx) => insertReceipt(tx, begun, begun.uncounted ?? '{}'));
    return;
  }
  const both = own.without(own.without(others));
  if (both.size === 0) throw new OperatorError(`There is no drawer that both ${source.name} and ${target.name} hold.`);
  await ensureGuarded(source);
  await withLockPatience(source, async (tx) => {
    // Whatever it was about to move when it was restored, it has moved since.
    if (begun !== undefined) await saveState(tx, begun, 'given-up');
    const move = await insertRelease(tx, { to: target.name, drawers: both });
    await saveTenants(tx, move);
    await lockOutWriters(tx);
    await updateHeld(tx, (held) => held.without(both));
  });
}

/** Whether the source has already given up drawers that the target holds, by a command that was stopped. */
export async function isReleasing({ source, target }: MovePlaces): Promise<boolean> {
  const begun = await findMove(source.link);
  if (begun?.isRelease !== true || begun.state !== 'leaving' || begun.to !== target.name) return false;
  return (await readIdentity(target.link)).held.includes(begun.drawers);
}

/** Makes it as if the drawers of a release had just arrived, if the target still holds them: what is left is a move to be continued. */
export async function confirmRelease(places: MovePlaces, move: DrawerMove): Promise<void> {
  const { target } = places;
  if (!(await readIdentity(target.link)).held.includes(move.drawers)) return;
  // The source cannot write into them any more, so that their tokens can be counted for as long as it takes.
  const counts = JSON.stringify(await countLeft(places, move));
  await target.link.transaction(async (tx) => {
    if ((await findReceivedCounts(tx, move)) === undefined) await insertReceipt(tx, move, counts);
  });
}

/** How many tokens of the drawers the source has, by tenant. */
async function countLeft({ source }: MovePlaces, move: DrawerMove): Promise<Record<string, CountedTokens[]>> {
  const counts: Record<string, CountedTokens[]> = {};
  for (const tenantId of await listTenants(source.link, move)) {
    const counted = await countOf({ source }, move, tenantId);
    if (counted.length > 0) counts[tenantId] = counted;
  }
  return counts;
}

async function countOf(
  { source }: Pick<MovePlaces, 'source'>,
  { drawers }: DrawerMove,
  tenantId: TenantId,
): Promise<CountedTokens[]> {
  const sums = new Map<string, CountedTokens>();
  await eachPageOfIds(source.link, tenantId, async (ids) => {
    const left = ids.filter((id) => drawers.has(drawerOf(id)));
    for (const one of await asMover(source.link, tenantId, (tx) => countTokensOf(tx, tenantId, left))) {
      const set = JSON.stringify([one.type, one.containers]);
      sums.set(set, { ...one, tokens: one.tokens + (sums.get(set)?.tokens ?? 0) });
    }
  });
  return [...sums.values()];
}

function notWhole({ source, target }: Pick<MovePlaces, 'source' | 'target'>, { to }: DrawerMove): OperatorError {
  return new OperatorError(
    `${source.name} has begun to delete drawers that it gave to ${to}, and ${to} does not know that it has received them. Restore ${to} to a later state. If ${to} holds them, \`strongroom nodes release --from ${source.name} --to ${to}\` keeps what it has. Nothing was released to ${target.name}.`,
  );
}
